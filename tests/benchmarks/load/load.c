// How fast does a server deliver, and how long does it take? An epoll load generator that is not the bottleneck.
//
//   load publish …   the first socket sends MESSAGE so that WINDOW of them are on their way; every socket gets each
//   load ask …       every socket sends MESSAGE and waits for the reply, REPEAT times
//   load hold …      sockets are opened and stay idle until standard input ends
//
// Each socket is upgraded, sends HELLO if there is one, and is ready when the reply has come. A reply is a text frame
// with "id": near its beginning. In texts, %c stands for the socket's number, %n for the message's, %t for a stamp
// ~number~nanoseconds~ by which a delivered frame is recognised and timed; a line break separates frames. The last
// FROZEN sockets stop reading once they are ready. One JSON object on standard output.

#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "latency.h"
#include "websocket.h"

static const long long STALLED_NS = 20000000000LL;
enum { REPLY_HEAD = 48, STAMP_LENGTH = 23, MAX_PORTS = 8 };

static struct {
    const char *mode, *path, *header, *hello, *message;
    int ports[MAX_PORTS], port_count, sockets, frozen, repeat, window;
    double seconds, warmup;
} options = {.path = "/", .header = "", .sockets = 1, .repeat = 1, .window = 1, .seconds = 3, .warmup = 0.5};

static struct ws *sockets;
static int poll_fd, ready_count, closed_count;
static long long started_at, progressed_at;
static long sent, received, received_bytes, gaps, replies;
static long long *asked_at;
static struct latency latency;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec - started_at;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static bool is(const char *mode) { return !strcmp(options.mode, mode); }

static void check_progress(void) {
    if (now() - progressed_at > STALLED_NS) die("nothing has arrived for %lld s", STALLED_NS / 1000000000);
}

static void send_filled(struct ws *socket, const char *text, long number) {
    static char filled[1 << 16];
    char *out = filled, *end = filled + sizeof filled - 64;
    for (; *text && out < end; text++) {
        if (*text == '\n') ws_send(socket, filled, out - filled), out = filled;
        else if (*text != '%') *out++ = *text;
        else if (*++text == 'c') out += sprintf(out, "%d", socket->number);
        else if (*text == 'n') out += sprintf(out, "%ld", number);
        else if (*text == 't') out += sprintf(out, "~%08ld~%012lld~", number, now());
    }
    ws_send(socket, filled, out - filled);
}

static void ask(struct ws *socket) {
    asked_at[socket->number] = now();
    send_filled(socket, options.message, ++sent);
}

static void ready(struct ws *socket) {
    ready_count++;
    if (is("ask")) ask(socket);
}

static void on_upgraded(struct ws *socket) {
    if (options.hello) send_filled(socket, options.hello, 0);
    else ready(socket);
}

static void on_stamped(struct ws *socket, const char *stamp, size_t length) {
    long number = strtol(stamp + 1, NULL, 10);
    latency_add(&latency, now() - strtoll(stamp + 10, NULL, 10));
    if (number != socket->last + 1) gaps++;
    socket->last = number;
    socket->received++;
    received++;
    received_bytes += length;
}

static void on_reply(struct ws *socket, size_t length) {
    bool first = options.hello && socket->last == -2;
    socket->last = -1;
    if (first) {
        ready(socket);
    } else if (is("ask")) {
        latency_add(&latency, now() - asked_at[socket->number]);
        received_bytes += length;
        replies++;
        if (++socket->received < options.repeat) ask(socket);
    }
}

static void on_text(struct ws *socket, const char *text, size_t length) {
    progressed_at = now();
    if (memmem(text, length < REPLY_HEAD ? length : REPLY_HEAD, "\"error\":", 8)) die("refused: %.*s", (int)length, text);
    if (memmem(text, length < REPLY_HEAD ? length : REPLY_HEAD, "\"id\":", 5)) {
        on_reply(socket, length);
        return;
    }
    const char *stamp = is("publish") ? memchr(text, '~', length) : NULL;
    if (stamp && text + length - stamp >= STAMP_LENGTH) on_stamped(socket, stamp, length);
    if (stamp && memmem(stamp, text + length - stamp, "\"rejectionReason\"", 17)) die("refused: %.*s", (int)length, text);
}

static void on_closed(struct ws *socket, int code) {
    if (socket->number < options.sockets - options.frozen) die("socket %d was closed with %d", socket->number, code);
    epoll_ctl(poll_fd, EPOLL_CTL_DEL, socket->fd, NULL);
    closed_count++;
}

static const struct ws_events events = {on_upgraded, on_text, on_closed};

// Handle what has arrived, waiting for at most `wait_ms`. False when standard input has ended.
static bool turn(int wait_ms) {
    struct epoll_event found[512];
    int count = epoll_wait(poll_fd, found, 512, wait_ms);
    for (int i = 0; i < count; i++) {
        struct ws *socket = found[i].data.ptr;
        if (!socket) return false;
        ws_read(socket, &events);
    }
    for (int i = 0; i < options.sockets; i++)
        if (sockets[i].out.length) ws_flush(&sockets[i]);
    return true;
}

static void open_sockets(void) {
    sockets = calloc(options.sockets, sizeof *sockets);
    asked_at = calloc(options.sockets, sizeof *asked_at);
    for (int i = 0; i < options.sockets; i++) {
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = &sockets[i]};
        sockets[i].number = i;
        sockets[i].last = options.hello ? -2 : -1;
        ws_dial(&sockets[i], options.ports[i % options.port_count], options.path, options.header);
        epoll_ctl(poll_fd, EPOLL_CTL_ADD, sockets[i].fd, &interest);
        turn(0);
    }
    while (ready_count < options.sockets) turn(100), check_progress();
}

static void freeze(void) {
    for (int i = options.sockets - options.frozen; i < options.sockets; i++)
        epoll_ctl(poll_fd, EPOLL_CTL_DEL, sockets[i].fd, NULL);
}

static long slowest(void) {
    long least = sent;
    for (int i = 0; i < options.sockets - options.frozen; i++)
        if (sockets[i].received < least) least = sockets[i].received;
    return least;
}

static void publish_for(double seconds) {
    long long end = now() + (long long)(seconds * 1e9);
    while (now() < end) {
        long least = slowest();
        while (sent - least < options.window) send_filled(&sockets[0], options.message, sent), sent++;
        turn(10);
        check_progress();
    }
}

static void publish(void) {
    freeze();
    publish_for(options.warmup);
    latency_clear(&latency);
    received = received_bytes = 0;
    double cpu = cpu_seconds();
    long long began = now();
    publish_for(options.seconds);
    double elapsed = (now() - began) / 1e9;
    printf("{\"per_s\":%.1f,\"published_per_s\":%.1f,\"frame_bytes\":%.1f,\"gaps\":%ld,\"client_cpu\":%.3f,",
        received / elapsed, received / elapsed / (options.sockets - options.frozen),
        received ? (double)received_bytes / received : 0, gaps, (cpu_seconds() - cpu) / elapsed);
}

static void await_replies(void) {
    long wanted = (long)options.sockets * options.repeat;
    while (replies < wanted) turn(100), check_progress();
    printf("{\"total_s\":%.4f,\"reply_bytes\":%.1f,\"client_cpu\":%.3f,", now() / 1e9, (double)received_bytes / replies,
        cpu_seconds() / (now() / 1e9));
}

static void hold(void) {
    struct epoll_event interest = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &interest);
    puts("ready");
    fflush(stdout);
    while (turn(1000)) continue;
    printf("{");
}

static void read_ports(char *list) {
    for (char *port = strtok(list, ","); port && options.port_count < MAX_PORTS; port = strtok(NULL, ","))
        options.ports[options.port_count++] = atoi(port);
}

static void read_options(int count, char **arguments) {
    static const struct option known[] = {
        {"port", 1, 0, 'p'}, {"path", 1, 0, 'a'}, {"header", 1, 0, 'h'}, {"hello", 1, 0, 'e'}, {"message", 1, 0, 'm'},
        {"sockets", 1, 0, 's'}, {"frozen", 1, 0, 'f'}, {"repeat", 1, 0, 'r'}, {"window", 1, 0, 'w'},
        {"seconds", 1, 0, 't'}, {"warmup", 1, 0, 'u'}, {0}};
    if (count < 2) die("which mode: publish, ask or hold?");
    options.mode = arguments[1];
    for (int key; (key = getopt_long(count - 1, arguments + 1, "", known, NULL)) != -1;) {
        switch (key) {
        case 'p': read_ports(optarg); break;
        case 'a': options.path = optarg; break;
        case 'h': options.header = optarg; break;
        case 'e': options.hello = optarg; break;
        case 'm': options.message = optarg; break;
        case 's': options.sockets = atoi(optarg); break;
        case 'f': options.frozen = atoi(optarg); break;
        case 'r': options.repeat = atoi(optarg); break;
        case 'w': options.window = atoi(optarg); break;
        case 't': options.seconds = atof(optarg); break;
        case 'u': options.warmup = atof(optarg); break;
        default: exit(2);
        }
    }
    if (!options.port_count) die("--port is missing");
    if (!is("hold") && !options.message) die("--message is missing");
}

int main(int count, char **arguments) {
    struct rlimit files;
    read_options(count, arguments);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    poll_fd = epoll_create1(0);
    started_at = now();
    open_sockets();
    if (is("publish")) publish();
    else if (is("ask")) await_replies();
    else hold();
    printf("\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f,\"closed\":%d}\n", latency_at(&latency, 0.50),
        latency_at(&latency, 0.99), latency.longest / 1e3, closed_count);
    return 0;
}
