"""Pages for other sites and programs: matches to frame, feeds, files that crawlers ask for."""
