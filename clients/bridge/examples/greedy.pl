#!/usr/bin/env perl
# A bot in Perl for Packeis am Pol: leaves the floe with the most fish, for the floe with the most.
#
#   polynya-bridge --game packeis -- perl greedy.pl

use strict;
use warnings;
use JSON::PP;

$| = 1;    # every line at once
my $json = JSON::PP->new;

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    next unless $message->{type} eq 'turn';

    my $fish = $message->{state}{fish};
    my $value = sub {    # place: a cell; move: from, to
        my ($verb, @cells) = @{ $_[0] };
        return $verb eq 'place' ? 0 : 4 * $fish->[ $cells[0] ] + $fish->[ $cells[1] ];
    };
    my ($best) = sort { $value->($b) <=> $value->($a) } @{ $message->{legal} };
    print $json->encode({ steps => [$best], info => { score => $value->($best) } }), "\n";
}
