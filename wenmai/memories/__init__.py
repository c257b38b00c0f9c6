"""Files of memories, and the forgetting of one."""
