package org.stillwater.fake.net;

import java.util.List;

/**
 * The faults in force. Thread-safe; a change takes effect at once, connected or not. Over REST:
 * {@link FaultSpec#fromJson} reads one, {@link Fault#toJson} shows one.
 */
public interface FaultBoard {

    /** Puts a fault in force and names it. */
    Fault add(FaultSpec spec);

    /** The faults in force, oldest first; those used up or out of their time are gone. */
    List<Fault> list();

    /**
     * Ends one fault.
     *
     * @return whether it was there
     */
    boolean remove(String id);

    /** Ends all faults. */
    void clear();
}
