package org.stillwater.relay.state;

/**
 * The smallest change of a number that is sent. A value is compared with the last one sent, so a
 * slow drift is sent, too.
 */
@FunctionalInterface
public interface Deadband {

    /** Every change is sent. */
    Deadband NONE = _ -> 0;

    /** The largest change of a key's number that is not sent, in the key's unit; 0 or more. */
    double of(int key);

    /** Whether a change must be sent. */
    default boolean isExceeded(int key, Value told, Value now) {
        if (told.equals(now)) {
            return false;
        }
        double band = of(key);
        if (band <= 0) {
            return true;
        }
        if (told instanceof Value.Decimal(double before)
                && now instanceof Value.Decimal(double after)) {
            return !(Math.abs(after - before) <= band);
        }
        if (told instanceof Value.Whole(long before) && now instanceof Value.Whole(long after)) {
            return !(Math.abs((double) after - before) <= band);
        }
        return true;
    }
}
