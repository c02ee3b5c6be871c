package org.stillwater.core.regression;

/** A change of a finding in an interval. */
public sealed interface FindingEvent {

    /** The present state of the finding. */
    Finding finding();

    /** It was detected. */
    record Began(Finding finding) implements FindingEvent {}

    /** It has more members, more metrics or newer points. */
    record Changed(Finding finding) implements FindingEvent {}

    /** It ended. */
    record Ended(Finding finding) implements FindingEvent {}
}
