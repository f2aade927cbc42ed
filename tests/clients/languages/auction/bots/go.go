// Command bot bids half of what the lot is worth, and a little more than the price that it last saw.
package main

import (
	"context"

	polynya "github.com/polynya-contests/polynya/clients/go"
)

type view struct {
	Worth []*int `msgpack:"worth"`
	Last  []int  `msgpack:"last"`
}

func choose(_ context.Context, turn *polynya.Turn) ([]polynya.Step, error) {
	var seen view
	if err := turn.ReadState(&seen); err != nil {
		return nil, err
	}
	worth := *seen.Worth[turn.Match.Seat]
	bid := max(1, worth/2)
	if len(seen.Last) == 2 && seen.Last[1]+1 < worth {
		bid = max(bid, seen.Last[1]+1)
	}
	return []polynya.Step{{"bid", bid}}, nil
}

func main() {
	options := polynya.Options{Name: "halves", Games: []string{"auction"}, Wants: []string{"state"}}
	polynya.Main(polynya.Choose(choose), options)
}
