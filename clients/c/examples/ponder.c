/* Shows how a bot thinks on the opponents' time: it counts, while they think and while it does.
 *
 * A search would deepen its tree where this one counts; it plays the first legal step. */

#include <polynya.h>
#include <stdio.h>

typedef struct {
  unsigned long own;     /* what was counted in our turns */
  unsigned long theirs;  /* and in those of the others */
} counts;

static int think(void *user, polynya_turn *turn) {
  counts *so_far = user;
  const polynya_cancellation *until = polynya_turn_cancellation(turn);
  for (int depth = 0; depth < 1000 && !polynya_is_cancelled(until); depth++) so_far->own++;
  char remarks[128];
  snprintf(remarks, sizeof remarks, "{\"own\": %lu, \"theirs\": %lu}", so_far->own, so_far->theirs);
  polynya_turn_info(turn, remarks);
  int result = POLYNYA_OK;
  while (result == POLYNYA_OK && !polynya_turn_is_over(turn)) result = polynya_turn_choose(turn, 0);
  return result;
}

static int ponder(void *user, polynya_match *match, const polynya_cancellation *until) {
  (void)match;
  counts *so_far = user;
  while (!polynya_is_cancelled(until)) so_far->theirs++;
  return POLYNYA_OK;
}

int main(void) {
  counts so_far = {0, 0};
  polynya_bot bot;
  polynya_bot_init(&bot);
  bot.user = &so_far;
  bot.turn = think;
  bot.ponder = ponder;
  polynya_settings settings;
  polynya_settings_init(&settings);
  settings.name = "ponder";
  settings.wants = "legal";
  return polynya_run(&bot, &settings);
}
