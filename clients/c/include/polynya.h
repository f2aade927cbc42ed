/**
 * @file
 * Connect a bot to a Polynya server, in C and in whatever can call C.
 *
 * Fill a polynya_bot with functions, and call polynya_run. Positions, steps and messages are JSON text in
 * UTF-8, as in the rules of the games; who does not want to read JSON plays with polynya_turn_choices.
 * Texts that this library gives belong to it, and stay until the function that got them returns.
 */
#ifndef POLYNYA_H
#define POLYNYA_H

#include <stddef.h>
#include <stdint.h>

/** @def POLYNYA_API
 * Makes a function visible to programs that use the shared library. */
#if defined(_WIN32) && defined(POLYNYA_BUILD)
#define POLYNYA_API __declspec(dllexport)
#elif defined(__GNUC__)
#define POLYNYA_API __attribute__((visibility("default")))
#else
#define POLYNYA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A match that the bot plays. It is there from match_start until match_over has returned. */
typedef struct polynya_match polynya_match;
/** A turn to decide on. It is there until the function turn has returned. */
typedef struct polynya_turn polynya_turn;
/** Tells a search that its result is not wanted any more. Any thread may ask. */
typedef struct polynya_cancellation polynya_cancellation;

/** What functions of this library, and of a bot, give back. */
enum polynya_result {
  POLYNYA_OK = 0,        /**< all is well */
  POLYNYA_FAILED = 1,    /**< an error; polynya_error says which. From a bot: it ends */
  POLYNYA_TURN_LOST = 2, /**< the turn is not asked for any more, or a step is illegal. From a bot: no move */
};

/**
 * A bot. Fill it with polynya_bot_init, then set turn and whichever of the others are of use.
 *
 * Each function gets user, and gives POLYNYA_OK or what a function of this library has given; anything
 * else but 0 is POLYNYA_FAILED, which ends the bot: it says goodbye, and forfeits its matches.
 */
typedef struct polynya_bot {
  size_t size; /**< of this struct: the library looks at no member beyond it */
  void *user;  /**< for the bot: it is given to its functions */

  /** Choose the whole turn: with polynya_turn_choose, or polynya_turn_play. */
  int (*turn)(void *user, polynya_turn *turn);

  /** A match begins, or is taken up again; clocks wait for us. */
  int (*match_start)(void *user, polynya_match *match);

  /** Think while the others do. Return when polynya_is_cancelled(until): something has happened. */
  int (*ponder)(void *user, polynya_match *match, const polynya_cancellation *until);

  /**
   * Another player has moved: the message moved as JSON. In matches with joint turns or hidden parts it
   * tells of our own turns, too; steps is null or missing if the steps are concealed from us, and seen, if
   * it is there, tells what we learnt beyond them.
   */
  int (*moved)(void *user, polynya_match *match, const char *message);

  /** A player has forfeited, perhaps we ourselves: the message forfeited as JSON. */
  int (*forfeited)(void *user, polynya_match *match, const char *message);

  /** The match has ended: the message match_over as JSON, with the deal if chance was hidden. */
  int (*match_over)(void *user, polynya_match *match, const char *message);

  /**
   * A server has welcomed the bot, by this name ("" if it gives none): each time that it comes.
   * polynya_run_each calls neither this function nor disconnected.
   */
  int (*connected)(void *user, const char *name);

  /**
   * The session has ended, unless by an error of the bot's own; the bot comes back unless the contest is
   * over. reason is that of the server's goodbye, such as "finished", or a sentence about the lost connection.
   */
  int (*disconnected)(void *user, const char *reason);
} polynya_bot;

/**
 * Where to connect, as whom, wanting what. Fill it with polynya_settings_init, then set what is to differ.
 *
 * POLYNYA_HOST, POLYNYA_PORT, POLYNYA_TOKEN, POLYNYA_TOKEN_FILE, POLYNYA_NAME, POLYNYA_GAMES,
 * POLYNYA_CONCURRENCY, POLYNYA_TLS, POLYNYA_CA_FILE, POLYNYA_RECONNECT and POLYNYA_LOG in the environment win.
 */
typedef struct polynya_settings {
  size_t size;                  /**< of this struct, so that later versions can add members */
  const char *name;             /**< 1 to 32 of A-Za-z0-9_.-; NULL: POLYNYA_NAME or the token says it */
  const char *games;            /**< those that it plays, separated by commas; NULL: any */
  const char *wants;            /**< "state", "legal", "moved", separated by commas */
  int concurrency;              /**< how many matches it plays at the same time */
  const char *host;             /**< the server's, or several, separated by commas */
  int port;                     /**< where host names none; 0: POLYNYA_PORT says it */
  const char *token;            /**< what proves that the name is ours; NULL: the one that was kept */
  const char *software_name;    /**< of the bot, for the records; may be NULL */
  const char *software_version; /**< of the bot; may be NULL */
  int tls;                      /**< not 0: encrypt, and verify the certificate */
  const char *ca_file;          /**< certificates (PEM) to trust; NULL: those of this computer */
  const char *log;              /**< a file for all messages, "-" for standard error; NULL: none */
  double reconnect_s;           /**< how long to try when the server is not there, in seconds */
} polynya_settings;

/**
 * A bot without functions. In C it is a macro, which passes the size of the struct on. The function, for
 * bindings, fills the members up to match_over, which all versions have.
 */
POLYNYA_API void polynya_bot_init(polynya_bot *bot);
/** Passes the size of the struct on, so that a library of a later version knows which members it has. */
#define polynya_bot_init(bot) polynya_bot_init_sized((bot), sizeof(polynya_bot))

/** As polynya_bot_init, of a struct of this size in bytes: for bindings that have all members. */
POLYNYA_API void polynya_bot_init_sized(polynya_bot *bot, size_t size);

/** A bot of any name that plays any game, a match at a time, and wants state and legal. */
POLYNYA_API void polynya_settings_init(polynya_settings *settings);

/**
 * Play until the contest is over, and come back to the server until then: what main calls.
 *
 * The bot runs in the calling thread, a turn after the other, while another thread receives.
 *
 * @return the exit code: 0, also when interrupted; 1 after an error, which is printed; 75 if the bot gave
 *   up trying to reach the server; 76 if another process plays as it now
 */
POLYNYA_API int polynya_run(const polynya_bot *bot, const polynya_settings *settings);

/**
 * As polynya_run, with each match in a thread of its own: the bot's functions are called from several
 * threads, with the same user; what belongs to a match goes to polynya_match_set_memory.
 */
POLYNYA_API int polynya_run_each(const polynya_bot *bot, const polynya_settings *settings);

/** What went wrong last in this thread, a sentence; "" if nothing did. */
POLYNYA_API const char *polynya_error(void);

/** The server's name for a match. */
POLYNYA_API const char *polynya_match_id(const polynya_match *match);
/** The game's name. */
POLYNYA_API const char *polynya_match_game(const polynya_match *match);
/** Our seat, from 0. */
POLYNYA_API size_t polynya_match_seat(const polynya_match *match);
/** How many players there are. */
POLYNYA_API size_t polynya_match_players(const polynya_match *match);
/** match_start or match_resume as JSON: players, options, clock, state. */
POLYNYA_API const char *polynya_match_message(polynya_match *match);
/** Whether parts of the match are hidden from us: state is then no position, but what we may know of one. */
POLYNYA_API int polynya_match_is_view(const polynya_match *match);
/** Whether several seats can be asked at the same time. */
POLYNYA_API int polynya_match_is_joint(const polynya_match *match);
/** Whether this seat is asked now: not 0 if so. Only matches with joint turns or hidden parts tell. */
POLYNYA_API int polynya_match_is_acting(const polynya_match *match, size_t seat);
/** Keep whatever a bot wants to remember until the match is over. */
POLYNYA_API void polynya_match_set_memory(polynya_match *match, void *memory);
/** What it keeps, NULL at first. */
POLYNYA_API void *polynya_match_memory(const polynya_match *match);
/** Give the match up. */
POLYNYA_API int polynya_match_resign(polynya_match *match);

/** The match that a turn belongs to. */
POLYNYA_API polynya_match *polynya_turn_match(polynya_turn *turn);
/** The turn's number in the match, from 1. */
POLYNYA_API uint64_t polynya_turn_number(const polynya_turn *turn);
/** The message turn as JSON: with state and legal, if they are wanted. */
POLYNYA_API const char *polynya_turn_message(polynya_turn *turn);
/** The position as JSON, or what we may know of it; NULL, and an error, if the bot does not want "state". */
POLYNYA_API const char *polynya_turn_state(polynya_turn *turn);

/**
 * How many steps may come next: the legal first steps, then those after what was chosen. The bot has to
 * want "legal". 0 if the turn is over, or after an error, which polynya_turn_is_over tells apart.
 */
POLYNYA_API size_t polynya_turn_choices(polynya_turn *turn);
/** One of these steps as JSON; NULL if there is none of this index, which counts from 0. */
POLYNYA_API const char *polynya_turn_choice(polynya_turn *turn, size_t index);
/** Choose one of these steps; the server is asked what may follow, while our clock runs. */
POLYNYA_API int polynya_turn_choose(polynya_turn *turn, size_t index);
/** Whether the steps that were chosen are a whole turn: not 0 if so. */
POLYNYA_API int polynya_turn_is_over(const polynya_turn *turn);
/** Choose the whole turn at once: a JSON array of steps, such as [["move",12,40]]. */
POLYNYA_API int polynya_turn_play(polynya_turn *turn, const char *steps);

/** Remarks to send with the move, a JSON object of at most 1 KiB: score, depth, text and so on. */
POLYNYA_API int polynya_turn_info(polynya_turn *turn, const char *remarks);

/** The time that is left now, in ms; 0 when it is over. */
POLYNYA_API int64_t polynya_turn_time_left_ms(const polynya_turn *turn);
/** How long to think from now, in ms, if the match may have so many more turns of ours: it keeps a margin. */
POLYNYA_API int64_t polynya_turn_think_ms(const polynya_turn *turn, int turns_left, int margin_ms);
/** Tells a search when to stop: the time is over, the match has ended, or the connection is lost. */
POLYNYA_API const polynya_cancellation *polynya_turn_cancellation(const polynya_turn *turn);
/** Whether a search is to stop now: not 0 if so. */
POLYNYA_API int polynya_is_cancelled(const polynya_cancellation *cancellation);

#ifdef __cplusplus
}
#endif

#endif
