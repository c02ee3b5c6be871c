package org.stillwater.core.host;

/**
 * Properties of a host besides its address, set by users and commands; no host reports them.
 *
 * @param powerManagement whether its power can be managed, so that it can be fenced by it
 * @param kdumpIntegration whether it reports a kernel dump, so that it need not be fenced
 *     meanwhile; without effect if it lacks power management
 * @param storagePoolManager whether it manages the storage of its data centre, and is therefore
 *     forgiven longer (monitoring specification §3.4)
 * @param olderAgent whether its agent wants the STOMP header {@code host} and one frame at a time:
 *     it leaves a second frame of one segment unread until more bytes come (the listener of oVirt's
 *     own Java library is such a one, and answers SUBSCRIBE with ACK)
 * @param comment free text for administrators, at most 4000 characters; may be empty
 */
public record HostTraits(
        boolean powerManagement,
        boolean kdumpIntegration,
        boolean storagePoolManager,
        boolean olderAgent,
        String comment) {

    /** Longest comment, in characters; that of a VM has the same bound. */
    public static final int LONGEST_COMMENT = 4_000;

    /** No properties. */
    public static final HostTraits NONE = new HostTraits(false, false, false, false, "");

    public HostTraits {
        if (comment.length() > LONGEST_COMMENT) {
            throw new IllegalArgumentException("the comment of a host has at most 4000 characters");
        }
    }
}
