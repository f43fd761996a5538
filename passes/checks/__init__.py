"""Shadow values: what `insert-checks` adds to a kernel to find faulty values where they are used."""
