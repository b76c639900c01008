"""What differs between systems: processes, terminals, locks, files below a folder, sockets.

Each module has one interface with two implementations: one for POSIX, and a *portable* one that
needs only what Python and psutil have everywhere. The rest of the package asks for no system.
"""
