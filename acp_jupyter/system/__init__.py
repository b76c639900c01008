"""What operating systems do differently: locks, and files below a folder."""
