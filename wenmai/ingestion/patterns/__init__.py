"""Events and relations found by patterns."""
