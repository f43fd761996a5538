"""The dialects of mytriton, a file or a folder each: arith, tt, ttg, cuda and the layouts."""

if __name__ != "mytriton.dialects":
    raise ImportError("import this package as mytriton.dialects, so that every class in it exists once")
