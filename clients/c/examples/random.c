/* A bot that knows no rules: it asks the server what is legal and picks any of it. With "--concurrency 2" it
 * plays two matches at the same time. */

#include <polynya.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One random legal step after the other until the turn is over. */
static int choose(void *user, polynya_turn *turn) {
  (void)user;
  char remarks[64];
  snprintf(remarks, sizeof remarks, "{\"choices\": %zu}", polynya_turn_choices(turn));
  polynya_turn_info(turn, remarks);
  while (!polynya_turn_is_over(turn)) {
    const size_t count = polynya_turn_choices(turn);
    const int result = polynya_turn_choose(turn, count == 0 ? 0 : (size_t)rand() % count);
    if (result != POLYNYA_OK) return result;
  }
  return POLYNYA_OK;
}

int main(int count, char **words) {
  const char *seed = getenv("POLYNYA_SEED");
  srand(seed == NULL ? 1 : (unsigned)atoi(seed));
  polynya_bot bot;
  polynya_bot_init(&bot);
  bot.turn = choose;
  polynya_settings settings;
  polynya_settings_init(&settings);
  settings.name = "random";
  settings.wants = "legal";
  if (count == 3 && strcmp(words[1], "--concurrency") == 0) settings.concurrency = atoi(words[2]);
  return polynya_run_each(&bot, &settings);
}
