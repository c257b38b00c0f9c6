"""Programs that servers need from the system."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from devservers.service import ServiceError

APT = ("apt-get", "-qq", "-o", "Dpkg::Use-Pty=0")


def require(programs: Mapping[str, Sequence[str]]) -> None:
    """Install the Debian packages of the programs that are missing, where that may be done here.

    Args:
        programs: the packages that bring each program.

    Raises:
        ServiceError: a program is missing and cannot be installed; says what to install.
    """
    missing = [program for program in programs if shutil.which(program) is None]
    if not missing:
        return
    packages = list(dict.fromkeys(package for program in missing for package in programs[program]))
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise ServiceError(f"{', '.join(missing)} not found: install {' '.join(packages)} (Debian's names)")
    install(packages)


def install(packages: Sequence[str]) -> None:
    """Install Debian packages. Raises ServiceError."""
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run([*APT, *arguments], env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            said = " ".join(done.stderr.split())[-300:]
            raise ServiceError(f"apt-get could not install {' '.join(packages)}: {said}")
