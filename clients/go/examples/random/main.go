// Command random is a bot that knows no rules: it asks the server what is legal and picks any of it.
package main

import (
	"context"
	"flag"
	"math/rand/v2"

	polynya "github.com/polynya-contests/polynya/clients/go"
)

// choose takes one random legal step after the other until the turn is over.
func choose(ctx context.Context, turn *polynya.Turn) ([]polynya.Step, error) {
	turn.Info["choices"] = len(turn.Legal)
	steps := []polynya.Step{pick(turn.Legal)}
	for {
		legal, err := turn.LegalAfter(ctx, steps)
		if err != nil || legal.TurnOver {
			return steps, err
		}
		steps = append(steps, pick(legal.Steps))
	}
}

func pick(steps []polynya.Step) polynya.Step { return steps[rand.IntN(len(steps))] }

func main() {
	concurrency := flag.Int("concurrency", 1, "how many matches it plays at the same time")
	flag.Parse()
	options := polynya.Options{Name: "random", Wants: []string{"legal"}, Concurrency: *concurrency}
	polynya.Main(polynya.Choose(choose), options)
}
