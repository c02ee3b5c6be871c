package org.stillwater.server.replay;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A condition on an answer. A place in it is an XPath expression where the answer is XML; where it
 * is JSON, names and indices after slashes, with an asterisk for each of a list.
 */
sealed interface Check {

    /** The answer has one of these statuses. */
    record Status(List<Integer> allowed) implements Check {}

    /** There is something at a place. */
    record Present(String place) implements Check {}

    /** There is nothing at a place. */
    record Absent(String place) implements Check {}

    /** One of the values at a place is this one. */
    record Equal(String place, String value) implements Check {}

    /** One of the values at a place matches as a whole. */
    record Matching(String place, Pattern pattern) implements Check {}

    /** The first value at a place is kept as a variable for later requests. */
    record Kept(String place, String variable) implements Check {}

    /** The request is repeated until one of the values at a place is this one. */
    record Until(String place, String value) implements Check {}

    /** The request is repeated until it is answered with this status. */
    record UntilStatus(int status) implements Check {}

    /** A header of the answer matches as a whole. */
    record HeaderMatching(String header, Pattern pattern) implements Check {}

    /** The pattern is found in the answer, in any media type. */
    record Text(Pattern pattern) implements Check {}

    /**
     * The answer is a fault in the media type that the request accepts, or an action with one; its
     * detail holds this text.
     */
    record Refused(String detail) implements Check {}
}
