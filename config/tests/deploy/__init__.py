"""What ``deploy/`` ships, run from these very files on loopback ports."""
