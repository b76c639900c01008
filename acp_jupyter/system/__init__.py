"""What operating systems do differently: locks, folders that are held open, private sockets."""
