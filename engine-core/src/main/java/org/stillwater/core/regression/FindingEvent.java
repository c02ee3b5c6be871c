package org.stillwater.core.regression;

/** What became of a finding in an interval. */
public sealed interface FindingEvent {

    /** The finding as it is now. */
    Finding finding();

    /** It was found. */
    record Began(Finding finding) implements FindingEvent {}

    /** It has more members, more metrics or newer points. */
    record Changed(Finding finding) implements FindingEvent {}

    /** It ended. */
    record Ended(Finding finding) implements FindingEvent {}
}
