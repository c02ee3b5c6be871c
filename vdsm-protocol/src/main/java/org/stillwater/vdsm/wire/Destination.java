package org.stillwater.vdsm.wire;

/** STOMP destinations (protocol page §1.4.8). */
public final class Destination {
    public static final String REQUESTS = "jms.topic.vdsm_requests";

    /** The customary, shared destination of answers; errors with a null id go nowhere else. */
    public static final String RESPONSES = "jms.topic.vdsm_responses";

    public static final String STORAGE_REQUESTS = "jms.topic.vdsm_irs_requests";
    public static final String STORAGE_RESPONSES = "jms.topic.vdsm_irs_responses";
    public static final String EVENTS = "jms.queue.events";

    private Destination() {}
}
