"""Work that tools ask of this kernel: code run on its main thread, outputs kept."""
