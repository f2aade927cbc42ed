/* A load generator: any number of Packeis bots in one process that answer at once.
 *
 *   load HOST PORT FIRST COUNT STRIDE TOKEN DELAY_US SEED SLOTS   bots b<FIRST>, b<FIRST+STRIDE>, ...
 *   load HOST PORT echo COUNT REPLY_BYTES                         answer each frame with one of that size
 *   load hosted [DELAY_US]                                        one bot, as a server starts it: see POLYNYA_HOST, ...
 *
 * A bot plays up to SLOTS matches at once, and takes DELAY_US / 2 to 3 DELAY_US / 2 for a turn.
 * A bot follows its match by `match_start` and `moved` alone: a floe that was ever occupied cannot
 * be entered again, so "not blocked and next to an own penguin" is all the rules it needs. It ends
 * when the server closes the connections. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CELLS 60
#define INBOX 65536
#define REST_NS 150000 /* to wake up for each move would take half as much again of the processor that bots and journal share */
typedef struct {
    int fd, penguins, turn;
    uint8_t fish[CELLS], blocked[CELLS], own[4];
    char id[64]; /* empty while the slot is free */
} Match;
typedef struct { int fd, used; Match *matches; unsigned char *inbox; } Bot;
typedef struct { const unsigned char *at; } Reader;
typedef struct { Match *match; int64_t due; } Pending;
static int neighbours[CELLS][6], count_neighbours[CELLS];
static uint64_t random_state;
static int64_t delay_ns, echo_bytes, open_connections;
static Pending *pending; /* the answers that are owed after the delay: a heap, the next one on top */
static int pending_count, slots = 1;

static uint64_t random_below(uint64_t bound) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull; return (random_state >> 33) % bound;
}
static int64_t now_ns(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ll + t.tv_nsec; }
static void owe(Match *match) {
    Pending owed = {match, now_ns() + delay_ns / 2 + random_below(delay_ns)};
    int at = pending_count++; for (; at && pending[(at - 1) / 2].due > owed.due; at = (at - 1) / 2) pending[at] = pending[(at - 1) / 2];
    pending[at] = owed;
}
static Match *pay(void) {
    Match *match = pending[0].match; Pending last = pending[--pending_count]; int at = 0;
    for (int child; (child = 2 * at + 1) < pending_count; at = child) {
        if (child + 1 < pending_count && pending[child + 1].due < pending[child].due) child++;
        if (pending[child].due < last.due) pending[at] = pending[child]; else break;
    }
    pending[at] = last; return match;
}
static Match *slot(Bot *bot, const char *id) { /* "" for a free one */
    for (Match *m = bot->matches; m < bot->matches + slots; m++) if (!strcmp(m->id, id)) return m;
    fprintf(stderr, "no slot for match \"%s\"\n", id); exit(1);
}
static void make_board(void) {
    int x_of[CELLS], row_of[CELLS], cell = 0;
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 7 + row % 2; column++, cell++) { row_of[cell] = row; x_of[cell] = 2 * column + (row % 2 ? 0 : 1); }
    for (int a = 0; a < CELLS; a++)
        for (int b = 0; b < CELLS; b++) {
            int rows = abs(row_of[a] - row_of[b]), x = abs(x_of[a] - x_of[b]);
            if ((rows == 0 && x == 2) || (rows == 1 && x == 1)) neighbours[a][count_neighbours[a]++] = b;
        }
}

/* msgpack: as much as the messages of the server need */
static uint64_t big_endian(Reader *r, int bytes) { uint64_t value = 0; for (; bytes--; r->at++) value = value << 8 | *r->at; return value; }
static uint32_t length_of(Reader *r, int fix_base, int fix_mask, int code16) {
    unsigned char c = *r->at++;
    if ((c & ~fix_mask & 0xff) == fix_base) return c & fix_mask;
    if (code16 == 0xda && c == 0xd9) return big_endian(r, 1);
    return big_endian(r, c == code16 ? 2 : 4);
}
static uint32_t array_length(Reader *r) { return length_of(r, 0x90, 15, 0xdc); } static uint32_t map_length(Reader *r) { return length_of(r, 0x80, 15, 0xde); }
static int64_t integer(Reader *r) {
    unsigned char c = *r->at++; if (c < 0x80 || c >= 0xe0) return (int8_t)c;
    return c >= 0xcc && c <= 0xcf ? (int64_t)big_endian(r, 1 << (c - 0xcc)) : (int64_t)big_endian(r, 1 << (c - 0xd0));
}
static void text(Reader *r, char *out, int size) {
    uint32_t n = length_of(r, 0xa0, 0x1f, 0xda), kept = n < (uint32_t)size - 1 ? n : (uint32_t)size - 1;
    memcpy(out, r->at, kept); out[kept] = 0; r->at += n;
}
static void skip(Reader *r) {
    unsigned char c = *r->at; char ignored[2];
    if ((c & 0xf0) == 0x80 || c == 0xde || c == 0xdf) { for (uint32_t n = 2 * map_length(r); n--;) skip(r); }
    else if ((c & 0xf0) == 0x90 || c == 0xdc || c == 0xdd) { for (uint32_t n = array_length(r); n--;) skip(r); }
    else if ((c & 0xe0) == 0xa0 || (c >= 0xd9 && c <= 0xdb)) text(r, ignored, 1);
    else if (c == 0xca || c == 0xcb) r->at += c == 0xca ? 5 : 9;
    else if (c >= 0xc0 && c <= 0xc3) r->at++; else integer(r);
}
static void send_all(int fd, const unsigned char *data, int size) {
    for (ssize_t sent; size > 0; data += sent, size -= sent)
        if ((sent = send(fd, data, size, MSG_NOSIGNAL)) < 0) return; /* recv sees the end of the connection */
}
static unsigned char *put_text(unsigned char *p, const char *s) {
    size_t n = strlen(s); if (n < 32) *p++ = 0xa0 | n; else { *p++ = 0xd9; *p++ = n; }
    memcpy(p, s, n); return p + n;
}
static unsigned char *put_integer(unsigned char *p, int value) {
    if (value >= 256) { *p++ = 0xcd; *p++ = value >> 8; } else if (value >= 128) *p++ = 0xcc; *p++ = value; return p;
}
static void finish(int fd, unsigned char *frame, unsigned char *end) {
    uint32_t size = htonl(end - frame - 4); memcpy(frame, &size, 4); send_all(fd, frame, end - frame);
}
static void hello(Bot *bot, const char *name, const char *token) {
    unsigned char frame[256], *p = frame + 4;
    *p++ = 0x85; p = put_text(p, "type"); p = put_text(p, "hello"); p = put_text(p, "protocol"); *p++ = 1;
    p = put_text(p, "concurrency"); p = put_integer(p, slots); p = put_text(p, "name"); p = put_text(p, name);
    p = put_text(p, "token"); p = put_text(p, token); finish(bot->fd, frame, p);
}
static void ready_or_pong(int fd, const char *match, int nonce) {
    unsigned char frame[256], *p = frame + 4;
    *p++ = 0x82; p = put_text(p, "type"); p = put_text(p, nonce ? "pong" : "ready"); p = put_text(p, nonce ? "nonce" : "match");
    p = nonce ? put_integer(p, nonce) : put_text(p, match); finish(fd, frame, p);
}
static void move(Match *m) {
    unsigned char frame[256], *p = frame + 4; int from = -1, to = -1, placing = m->own[3] == 255 && m->penguins < 4;
    if (placing) do to = random_below(CELLS); while (m->fish[to] != 1 || m->blocked[to]);
    else for (int tries = random_below(24), seen = 0; to < 0 && seen < 48; tries++, seen++) {
        int cell = m->own[tries / 6 % 4], direction = tries % 6;
        if (direction < count_neighbours[cell] && !m->blocked[neighbours[cell][direction]]) { from = cell; to = neighbours[cell][direction]; m->own[tries / 6 % 4] = to; }
    }
    if (to < 0) { fprintf(stderr, "no legal move in %s\n", m->id); exit(1); }
    if (placing) m->own[m->penguins++] = to;
    m->blocked[to] = 1;
    *p++ = 0x84; p = put_text(p, "type"); p = put_text(p, "move"); p = put_text(p, "match"); p = put_text(p, m->id);
    p = put_text(p, "turn"); p = put_integer(p, m->turn); p = put_text(p, "steps"); *p++ = 0x91;
    if (from < 0) { *p++ = 0x92; p = put_text(p, "place"); *p++ = to; }
    else { *p++ = 0x93; p = put_text(p, "move"); *p++ = from; *p++ = to; }
    finish(m->fd, frame, p);
}
static void handle(Bot *bot, Reader r) {
    char type[24] = "", key[24], id[64]; Reader steps = {0}; int nonce = 0; Match none, *m = &none;
    for (uint32_t n = map_length(&r); n--;) {
        text(&r, key, sizeof key);
        if (!strcmp(key, "type")) text(&r, type, sizeof type);
        else if (!strcmp(key, "match")) {
            text(&r, id, sizeof id);
            if (strcmp(type, "match_start")) m = slot(bot, id);
            else { m = slot(bot, ""); *m = (Match){.fd = bot->fd}; memset(m->own, 255, 4); strcpy(m->id, id); }
        } else if (!strcmp(key, "turn") && !strcmp(type, "turn")) m->turn = integer(&r);
        else if (!strcmp(key, "nonce")) nonce = integer(&r); else if (!strcmp(key, "steps")) { steps = r; skip(&r); }
        else if (!strcmp(key, "state") && !strcmp(type, "match_start")) {
            for (uint32_t k = map_length(&r); k--;) {
                text(&r, key, sizeof key);
                if (strcmp(key, "fish")) { skip(&r); continue; }
                for (uint32_t i = 0, fish = array_length(&r); i < fish; i++) m->fish[i] = integer(&r);
            }
        } else skip(&r);
    }
    if (!strcmp(type, "match_start")) ready_or_pong(bot->fd, id, 0);
    else if (!strcmp(type, "moved"))
        for (uint32_t n = array_length(&steps); n--;) { uint32_t k = array_length(&steps); skip(&steps); int cell = 0; while (--k) cell = integer(&steps); m->blocked[cell] = 1; }
    else if (!strcmp(type, "turn")) { if (delay_ns) owe(m); else move(m); }
    else if (!strcmp(type, "match_over")) m->id[0] = 0;
    else if (!strcmp(type, "ping")) ready_or_pong(bot->fd, "", nonce); else if (!strcmp(type, "error")) fprintf(stderr, "the server reported an error\n");
}
static int receive(Bot *bot) {
    ssize_t got = recv(bot->fd, bot->inbox + bot->used, INBOX - bot->used, 0);
    if (got <= 0) return 0;
    bot->used += got;
    int start = 0; uint32_t size;
    for (; bot->used - start >= 4; start += 4 + size) {
        memcpy(&size, bot->inbox + start, 4); size = ntohl(size);
        if (size + 4 > (uint32_t)(bot->used - start)) break;
        if (echo_bytes) { static unsigned char reply[4096]; uint32_t n = htonl(echo_bytes - 4); memcpy(reply, &n, 4); send_all(bot->fd, reply, echo_bytes); }
        else handle(bot, (Reader){bot->inbox + start + 4});
    }
    memmove(bot->inbox, bot->inbox + start, bot->used -= start);
    return 1;
}
int main(int argc, char **argv) {
    char *hosted[] = {argv[0], getenv("POLYNYA_HOST"), getenv("POLYNYA_PORT"), "0", "1", "1", getenv("POLYNYA_TOKEN"), argc == 3 ? argv[2] : "0", "1", "1"};
    char *own_name = (argc == 2 || argc == 3) && !strcmp(argv[1], "hosted") ? getenv("POLYNYA_NAME") : NULL;
    if (own_name) { argv = hosted; argc = 10; random_state = getpid(); }
    if (argc < 6) { fprintf(stderr, "see the head of load.c for the arguments\n"); return 2; }
    int echo = !strcmp(argv[3], "echo"), count = atoi(argv[4]), poll_fd = epoll_create1(0), one = 1;
    if (echo) echo_bytes = atoi(argv[5]); else { delay_ns = atoll(argv[7]) * 1000; random_state += strtoull(argv[8], 0, 10) * 7919; slots = atoi(argv[9]); }
    prctl(PR_SET_TIMERSLACK, 1); /* else each rest is 50 us longer */ Bot *bots = calloc(count, sizeof *bots); pending = calloc(count * slots + 1, sizeof *pending); make_board();
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[2]))}; inet_pton(AF_INET, argv[1], &address.sin_addr);
    for (Bot *bot = bots; bot < bots + count; bot++) {
        bot->fd = socket(AF_INET, SOCK_STREAM, 0); bot->inbox = malloc(INBOX); bot->matches = calloc(slots, sizeof *bot->matches);
        if (connect(bot->fd, (void *)&address, sizeof address)) { perror("connect"); return 1; }
        setsockopt(bot->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = bot}; epoll_ctl(poll_fd, EPOLL_CTL_ADD, bot->fd, &event);
        char name[16]; snprintf(name, sizeof name, "b%d", atoi(argv[3]) + (int)(bot - bots) * atoi(argv[5]));
        if (!echo) hello(bot, own_name ? own_name : name, argv[6]);
        open_connections++;
    }
    while (open_connections) {
        struct epoll_event events[256]; int wait_ms = -1;
        if (pending_count) { int64_t left = pending[0].due - now_ns(); wait_ms = left > 0 ? left / 1000000 : 0; if (left > 0 && !wait_ms) nanosleep(&(struct timespec){0, left > REST_NS ? left : REST_NS}, 0); }
        int ready_count = epoll_wait(poll_fd, events, 256, wait_ms);
        for (int i = 0; i < ready_count; i++) { Bot *bot = events[i].data.ptr; if (!receive(bot)) { close(bot->fd); open_connections--; } }
        for (int64_t now = now_ns(); pending_count && pending[0].due <= now;) move(pay());
    }
    return 0;
}
