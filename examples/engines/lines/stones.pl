# A bot that plays Go: it sets its stones near the middle, and passes late in the match.
# It reads what stones.toml says, and knows nothing of Polynya.
use strict;
use warnings;

$| = 1;    # every line at once
my $size = <STDIN>;
my $middle = ($size - 1) / 2;
while (defined(my $played = <STDIN>)) {
    my $count = <STDIN>;
    my ($best, $least) = (0, 1000);
    for my $number (0 .. $count - 1) {
        my (undef, $column, $row) = <STDIN> =~ /^(\w) (\w)(\d+)$/ or next;    # B c3, but not B PASS
        my $away = abs(ord($column) - ord('a') - $middle) + abs($row - 1 - $middle);
        ($best, $least) = ($number, $away) if $away < $least && $played < $size**2;
    }
    print "$best\n";
}
