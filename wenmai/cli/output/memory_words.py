"""What the commands of memories say."""

from tools.wording import Words

FORGOTTEN = Words("已遗忘用户 {user} 的记忆：{keys}", "Forgot memories of {user}: {keys}")
CONFIRM = Words("遗忘用户 {user} 的 {count} 条记忆？不能恢复", "Forget {count} memories of {user}? It cannot be undone")
EXPORTED = Words("已导出 {count} 条记忆到 {file}", "Exported {count} memories to {file}")
IMPORTED = Words(
    "已导入 {report.written} 条记忆（文件共 {report.total} 条{doubles}，{report.users} 个用户）",
    "Imported {report.written} memories (the file has {report.total}{doubles}, of {report.users} users)",
)
DOUBLES = Words(
    "，其中 {count} 条与后面的键相同，以后面的为准", ", {count} of them with the key of a later one, which counts"
)
IMPORTING = Words("导入记忆", "Importing memories")
SENSITIVE = Words("[敏感记忆] 查看需要 --sensitive", "[sensitive memory] --sensitive shows it")
SHOWN = Words("共 {total} 条，显示最新的 {shown} 条", "{total} in all, the newest {shown} are shown")
KEPT = Words("已记住 {key}", "Kept as {key}")
RECEIPT = {
    "memories": Words("  记忆（含历史）：{count}", "  memories with their history: {count}"),
    "threads": Words("  会话：{count}", "  conversations: {count}"),
    "traces": Words("  轨迹：{count}", "  traces: {count}"),
    "caches": Words("  缓存：{count}", "  kept answers: {count}"),
}
