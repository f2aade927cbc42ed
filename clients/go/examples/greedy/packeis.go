package main

import "polynya"

// A position of Packeis am Pol, as the server describes it.
type position struct {
	Phase string `msgpack:"phase"`
	// Fish on each floe; 0 where there is none.
	Fish []int `msgpack:"fish"`
	// Penguins are the cells of each seat's.
	Penguins [][]int `msgpack:"penguins"`
}

// An option is a step with what it is worth.
type option struct {
	value float64
	step  polynya.Step
}

// A place is a row and a horizontal place in it, in half floes.
type place struct{ row, right int }

var (
	places     = boardPlaces()
	cells      = cellsByPlace()
	directions = [...]place{{0, 2}, {0, -2}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}
)

func boardPlaces() []place {
	var all []place
	for row := range 8 {
		for column := range 7 + row%2 {
			all = append(all, place{row, 2*column - row%2})
		}
	}
	return all
}

func cellsByPlace() map[place]int {
	byPlace := map[place]int{}
	for cell, place := range places {
		byPlace[place] = cell
	}
	return byPlace
}

// free tells for each cell whether there is a floe and no penguin.
func (p position) free() []bool {
	free := make([]bool, len(p.Fish))
	for cell, fish := range p.Fish {
		free[cell] = fish > 0
	}
	for _, own := range p.Penguins {
		for _, cell := range own {
			free[cell] = false
		}
	}
	return free
}

// slides gives the cells that a penguin on a cell can slide to.
func slides(from int, free []bool) []int {
	var targets []int
	for _, direction := range directions {
		at := places[from]
		for {
			at = place{at.row + direction.row, at.right + direction.right}
			cell, onBoard := cells[at]
			if !onBoard || !free[cell] {
				break
			}
			targets = append(targets, cell)
		}
	}
	return targets
}

// options gives every step of a seat with what it is worth: leave the floe with the most fish, for
// one with many fish.
func (p position) options(seat int) []option {
	if p.Phase == "placement" {
		return p.placements()
	}
	var options []option
	free := p.free()
	for _, from := range p.Penguins[seat] {
		for _, to := range slides(from, free) {
			value := float64(p.Fish[from]) + float64(p.Fish[to])/4
			options = append(options, option{value, polynya.Step{"move", from, to}})
		}
	}
	return options
}

func (p position) placements() []option {
	var options []option
	free := p.free()
	for cell, fish := range p.Fish {
		if fish != 1 || !free[cell] {
			continue
		}
		near := 0
		for _, to := range slides(cell, free) {
			near = max(near, p.Fish[to])
		}
		options = append(options, option{float64(near), polynya.Step{"place", cell}})
	}
	return options
}
