// Command greedy is a bot for Packeis am Pol that takes the most it can get, without a thought for
// the next turn.
package main

import (
	"context"
	"math/rand/v2"

	polynya "github.com/polynya-contests/polynya/clients/go"
)

// choose picks one of the steps that are worth most now.
func choose(_ context.Context, turn *polynya.Turn) ([]polynya.Step, error) {
	var position position
	if err := turn.ReadState(&position); err != nil {
		return nil, err
	}
	var best []option
	for _, option := range position.options(turn.Match.Seat) {
		if len(best) > 0 && option.value > best[0].value {
			best = best[:0]
		}
		if len(best) == 0 || option.value == best[0].value {
			best = append(best, option)
		}
	}
	turn.Info["score"] = best[0].value
	return []polynya.Step{best[rand.IntN(len(best))].step}, nil
}

func main() {
	options := polynya.Options{Name: "greedy", Games: []string{"packeis"}, Wants: []string{"state"}}
	polynya.Main(polynya.Choose(choose), options)
}
