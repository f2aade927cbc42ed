/* Loaded before a program: the machine seems to have 128 GiB of memory and 64 cores. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static const char MEMINFO[] = "MemTotal:       134217728 kB\nMemFree:        134217728 kB\n"
                              "MemAvailable:   134217728 kB\n";

static int opened_meminfo(void) {
    int file = memfd_create("meminfo", 0);
    if (write(file, MEMINFO, sizeof MEMINFO - 1) < 0) return -1;
    lseek(file, 0, SEEK_SET);
    return file;
}

long sysconf(int name) {
    static long (*real)(int);
    if (!real) real = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    if (name == _SC_PHYS_PAGES || name == _SC_AVPHYS_PAGES) return (128L << 30) / real(_SC_PAGESIZE);
    if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN) return 64;
    return real(name);
}

int sysinfo(struct sysinfo *info) {
    memset(info, 0, sizeof *info);
    info->totalram = info->freeram = 128UL << 30;
    info->mem_unit = 1;
    return 0;
}

#define OPEN(NAME)                                                                  \
    int NAME(const char *path, int flags, ...) {                                    \
        static int (*real)(const char *, int, ...);                                 \
        if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #NAME); \
        va_list more;                                                               \
        va_start(more, flags);                                                      \
        int mode = va_arg(more, int);                                               \
        va_end(more);                                                               \
        return strcmp(path, "/proc/meminfo") ? real(path, flags, mode) : opened_meminfo(); \
    }
OPEN(open)
OPEN(open64)
