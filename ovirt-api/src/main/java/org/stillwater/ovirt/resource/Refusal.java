package org.stillwater.ovirt.resource;

import org.stillwater.ovirt.model.Fault;

/** A request that is not fulfilled; becomes a fault (chapter 2.7). */
public final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int status;
    private final String reason;

    /**
     * A refusal.
     *
     * @param status of HTTP, 4xx or 5xx
     * @param reason a short constant, for example {@code Operation Failed}
     * @param detail mistake and remedy
     */
    public Refusal(int status, String reason, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.reason = reason;
    }

    /** A parameter that is wrong. */
    public static Refusal invalid(String detail) {
        return new Refusal(400, "Invalid value", detail);
    }

    /** An entity that does not exist, or that the caller may not see. */
    public static Refusal unknown(String id) {
        return new Refusal(404, "Operation Failed", "Entity not found: " + shortened(id));
    }

    /** A path under which nothing is. */
    public static Refusal nothingAt(String path) {
        return new Refusal(404, "Operation Failed", "Path not found: " + shortened(path) + ".");
    }

    /** An action, which is only posted. */
    static Refusal postOnly() {
        return new Refusal(405, "Operation Failed", "An action is asked for with POST.");
    }

    /** Something that the caller may see, and not do. */
    public static Refusal forbidden(String detail) {
        return new Refusal(403, "Operation Failed", detail);
    }

    private static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 99) + "…";
    }

    /** Status of HTTP. */
    public int status() {
        return status;
    }

    /** The same for the body. */
    public Fault fault() {
        return new Fault(String.valueOf(getMessage()), reason);
    }
}
