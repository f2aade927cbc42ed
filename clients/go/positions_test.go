package polynya

import "testing"

func TestStepsOfFunctionsAreThoseOfTheRules(t *testing.T) {
	equal(t, Step{"move", 12, 40}, PackeisMoveStep(12, 40))
	equal(t, Step{"place", "G", 7}, ArktiaPlaceStep("G", 7))
	equal(t, Step{"end"}, IceCultEndStep())
}
