"""From a grader's opinion, or from what code sees by itself, to the verdict on a draft."""
