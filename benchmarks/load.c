/* A load generator: any number of Packeis bots in one process that answer at once.
 *
 *   load HOST PORT FIRST COUNT STRIDE TOKEN DELAY_US SEED   bots b<FIRST>, b<FIRST+STRIDE>, ...
 *   load HOST PORT echo COUNT REPLY_BYTES                   answer each frame with one of that size
 *
 * A bot follows its match by `match_start` and `moved` alone: a floe that was ever occupied cannot
 * be entered again, so "not blocked and next to an own penguin" is all the rules it needs.
 * One match per connection at a time. Ends when the server closes the connections. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CELLS 60
#define INBOX 65536
typedef struct {
    int fd, seat, penguins, used, turn;
    uint8_t fish[CELLS], blocked[CELLS], own[4];
    char match[128];
    unsigned char *inbox;
} Bot;
typedef struct { const unsigned char *at; } Reader;
typedef struct { Bot *bot; int64_t due; } Pending;
static int neighbours[CELLS][6], count_neighbours[CELLS];
static uint64_t random_state;
static int64_t delay_ns, echo_bytes, open_connections;
static Pending *pending; /* the answers that are owed after the delay, oldest first */
static int pending_first, pending_count, pending_size;

static uint64_t random_below(uint64_t bound) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (random_state >> 33) % bound;
}
static int64_t now_ns(void) {
    struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}
static void make_board(void) {
    int cell_at[8][8], x_of[CELLS], row_of[CELLS], cell = 0;
    memset(cell_at, -1, sizeof cell_at);
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 7 + row % 2; column++, cell++) {
            cell_at[row][column] = cell; row_of[cell] = row; x_of[cell] = 2 * column + (row % 2 ? 0 : 1);
        }
    for (int a = 0; a < CELLS; a++)
        for (int b = 0; b < CELLS; b++) {
            int rows = abs(row_of[a] - row_of[b]), x = abs(x_of[a] - x_of[b]);
            if ((rows == 0 && x == 2) || (rows == 1 && x == 1)) neighbours[a][count_neighbours[a]++] = b;
        }
}

/* msgpack: as much as the messages of the server need */
static uint64_t big_endian(Reader *r, int bytes) {
    uint64_t value = 0;
    for (; bytes--; r->at++) value = value << 8 | *r->at;
    return value;
}
static uint32_t length_of(Reader *r, int fix_base, int fix_mask, int code16) {
    unsigned char c = *r->at++;
    if ((c & ~fix_mask & 0xff) == fix_base) return c & fix_mask;
    if (code16 == 0xda && c == 0xd9) return big_endian(r, 1);
    return big_endian(r, c == code16 ? 2 : 4);
}
static uint32_t array_length(Reader *r) { return length_of(r, 0x90, 15, 0xdc); } static uint32_t map_length(Reader *r) { return length_of(r, 0x80, 15, 0xde); }
static int64_t integer(Reader *r) {
    unsigned char c = *r->at++;
    if (c < 0x80 || c >= 0xe0) return (int8_t)c;
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
    else if (c >= 0xc0 && c <= 0xc3) r->at++;
    else integer(r);
}
static void send_all(Bot *bot, const unsigned char *data, int size) {
    while (size > 0) {
        ssize_t sent = send(bot->fd, data, size, MSG_NOSIGNAL);
        if (sent < 0) return; /* the end of the connection is seen by recv */
        data += sent; size -= sent; }
}
static unsigned char *put_text(unsigned char *p, const char *s) {
    size_t n = strlen(s);
    if (n < 32) *p++ = 0xa0 | n; else { *p++ = 0xd9; *p++ = n; }
    memcpy(p, s, n); return p + n;
}
static unsigned char *put_integer(unsigned char *p, int value) {
    if (value >= 256) { *p++ = 0xcd; *p++ = value >> 8; } else if (value >= 128) *p++ = 0xcc;
    *p++ = value; return p;
}
static void finish(Bot *bot, unsigned char *frame, unsigned char *end) {
    uint32_t size = htonl(end - frame - 4);
    memcpy(frame, &size, 4); send_all(bot, frame, end - frame);
}
static void hello(Bot *bot, int number, const char *token) {
    unsigned char frame[256], *p = frame + 4; char name[16];
    snprintf(name, sizeof name, "b%d", number);
    *p++ = 0x84; p = put_text(p, "type"); p = put_text(p, "hello"); p = put_text(p, "protocol"); *p++ = 1;
    p = put_text(p, "name"); p = put_text(p, name); p = put_text(p, "token"); p = put_text(p, token);
    finish(bot, frame, p);
}
static void ready_or_pong(Bot *bot, int nonce) {
    unsigned char frame[256], *p = frame + 4;
    *p++ = 0x82; p = put_text(p, "type"); p = put_text(p, nonce ? "pong" : "ready"); p = put_text(p, nonce ? "nonce" : "match");
    p = nonce ? put_integer(p, nonce) : put_text(p, bot->match);
    finish(bot, frame, p);
}
static void move(Bot *bot) {
    unsigned char frame[256], *p = frame + 4; int from = -1, to = -1, placing = bot->own[3] == 255 && bot->penguins < 4;
    if (placing) do to = random_below(CELLS); while (bot->fish[to] != 1 || bot->blocked[to]);
    else
        for (int tries = random_below(24), seen = 0; to < 0 && seen < 48; tries++, seen++) {
        int cell = bot->own[tries / 6 % 4], direction = tries % 6;
        if (direction < count_neighbours[cell] && !bot->blocked[neighbours[cell][direction]]) { from = cell; to = neighbours[cell][direction]; bot->own[tries / 6 % 4] = to; }
    }
    if (placing) bot->own[bot->penguins++] = to;
    if (to < 0) { fprintf(stderr, "no legal move in %s\n", bot->match); exit(1); }
    bot->blocked[to] = 1;
    *p++ = 0x84; p = put_text(p, "type"); p = put_text(p, "move"); p = put_text(p, "match"); p = put_text(p, bot->match);
    p = put_text(p, "turn"); p = put_integer(p, bot->turn); p = put_text(p, "steps"); *p++ = 0x91;
    if (from < 0) { *p++ = 0x92; p = put_text(p, "place"); *p++ = to; }
    else { *p++ = 0x93; p = put_text(p, "move"); *p++ = from; *p++ = to; }
    finish(bot, frame, p);
}
static void handle(Bot *bot, Reader r) {
    char type[24] = "", key[24]; Reader steps = {0}; int nonce = 0;
    for (uint32_t n = map_length(&r); n--;) {
        text(&r, key, sizeof key);
        if (!strcmp(key, "type")) text(&r, type, sizeof type);
        else if (!strcmp(key, "match") && !strcmp(type, "match_start")) text(&r, bot->match, sizeof bot->match);
        else if (!strcmp(key, "turn") && !strcmp(type, "turn")) bot->turn = integer(&r);
        else if (!strcmp(key, "nonce")) nonce = integer(&r); else if (!strcmp(key, "steps")) { steps = r; skip(&r); }
        else if (!strcmp(key, "state") && !strcmp(type, "match_start")) {
            for (uint32_t m = map_length(&r); m--;) {
                text(&r, key, sizeof key);
                if (strcmp(key, "fish")) { skip(&r); continue; }
                for (uint32_t i = 0, k = array_length(&r); i < k; i++) bot->fish[i] = integer(&r);
            }
        } else skip(&r);
    }
    if (!strcmp(type, "match_start")) { bot->penguins = 0; memset(bot->own, 255, 4); memset(bot->blocked, 0, CELLS); ready_or_pong(bot, 0); }
    else if (!strcmp(type, "moved"))
        for (uint32_t n = array_length(&steps); n--;) { uint32_t k = array_length(&steps); skip(&steps); int cell = 0; while (--k) cell = integer(&steps); bot->blocked[cell] = 1; }
    else if (!strcmp(type, "turn")) {
        if (!delay_ns) { move(bot); return; }
        pending[(pending_first + pending_count++) % pending_size] = (Pending){bot, now_ns() + delay_ns};
    } else if (!strcmp(type, "ping")) ready_or_pong(bot, nonce); else if (!strcmp(type, "error")) fprintf(stderr, "the server reported an error to %s\n", bot->match);
}
static int receive(Bot *bot) {
    ssize_t got = recv(bot->fd, bot->inbox + bot->used, INBOX - bot->used, 0);
    if (got <= 0) return 0;
    bot->used += got;
    int start = 0; uint32_t size;
    for (; bot->used - start >= 4; start += 4 + size) {
        memcpy(&size, bot->inbox + start, 4); size = ntohl(size);
        if (size + 4 > (uint32_t)(bot->used - start)) break;
        if (echo_bytes) { static unsigned char reply[4096]; uint32_t n = htonl(echo_bytes - 4); memcpy(reply, &n, 4); send_all(bot, reply, echo_bytes); }
        else handle(bot, (Reader){bot->inbox + start + 4});
    }
    memmove(bot->inbox, bot->inbox + start, bot->used -= start);
    return 1;
}
int main(int argc, char **argv) {
    if (argc < 6) { fprintf(stderr, "see the head of load.c for the arguments\n"); return 2; }
    int echo = !strcmp(argv[3], "echo"), count = atoi(argv[4]), poll_fd = epoll_create1(0), one = 1;
    if (echo) echo_bytes = atoi(argv[5]); else { delay_ns = atoll(argv[7]) * 1000; random_state += strtoull(argv[8], 0, 10) * 7919; }
    Bot *bots = calloc(count, sizeof *bots); pending_size = count + 1; pending = calloc(pending_size, sizeof *pending); make_board();
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[2]))}; inet_pton(AF_INET, argv[1], &address.sin_addr);
    for (Bot *bot = bots; bot < bots + count; bot++) {
        bot->fd = socket(AF_INET, SOCK_STREAM, 0); bot->inbox = malloc(INBOX);
        if (connect(bot->fd, (void *)&address, sizeof address)) { perror("connect"); return 1; }
        setsockopt(bot->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = bot}; epoll_ctl(poll_fd, EPOLL_CTL_ADD, bot->fd, &event);
        if (!echo) hello(bot, atoi(argv[3]) + (int)(bot - bots) * atoi(argv[5]), argv[6]);
        open_connections++;
    }
    while (open_connections) {
        struct epoll_event events[256]; int wait_ms = -1;
        if (pending_count) { int64_t left = pending[pending_first].due - now_ns(); wait_ms = left > 0 ? left / 1000000 : 0; }
        int ready_count = epoll_wait(poll_fd, events, 256, wait_ms);
        for (int i = 0; i < ready_count; i++) { Bot *bot = events[i].data.ptr; if (!receive(bot)) { close(bot->fd); open_connections--; } }
        for (int64_t now = now_ns(); pending_count && pending[pending_first].due <= now; pending_count--) { move(pending[pending_first].bot); pending_first = (pending_first + 1) % pending_size; }
    }
    return 0;
}
