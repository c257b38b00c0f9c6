#!/bin/sh
# Removes old traces (TRACE_DAYS, 30) and backups (BACKUP_DAYS, 90; the newest stays) below a folder:
#   sh deploy/clean.sh /data          from a container, a timer or cron
set -eu
data=${1:?the folder with traces/ and backups/}
[ ! -d "$data/traces" ] || find "$data/traces" -type f -name '*.json' -mtime "+${TRACE_DAYS:-30}" -delete
cd "$data/backups" 2> /dev/null || exit 0
newest=$(ls -t -- *.zip 2> /dev/null | head -n 1)
find . -type f -name '*.zip' ! -name "$newest" -mtime "+${BACKUP_DAYS:-90}" -delete
