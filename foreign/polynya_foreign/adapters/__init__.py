"""Programs that speak protocols of other systems, as bots: ``polynya adapt KIND -- PROGRAM``."""
