# A bot that plays Packeis: of the legal steps the one that ends on the most fish.
# It reads what fish.toml says, and knows nothing of Polynya.
use strict;
use warnings;

$| = 1;                                      # every line at once
my ($seat, $players) = split ' ', <STDIN>;
while (defined(my $line = <STDIN>)) {
    my @fish = split ' ', $line;
    my $count = <STDIN>;
    my ($best, $most) = ('', -1);
    for (1 .. $count) {
        chomp(my $step = <STDIN>);
        my $cell = (split ' ', $step)[-1];
        ($best, $most) = ($step, $fish[$cell]) if $fish[$cell] > $most;
    }
    print STDERR "seat $seat of $players: $most fish\n";    # for the author
    print "$best\n";
}
