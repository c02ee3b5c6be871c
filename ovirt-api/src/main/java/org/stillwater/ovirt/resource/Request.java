package org.stillwater.ovirt.resource;

import java.io.InputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.ovirt.codec.Format;

/**
 * A request that was understood as far as every resource needs it. Immutable.
 *
 * <p>Addresses in the answer begin with {@code base}: a version in the path is kept (rule 7).
 */
public final class Request {

    /** Path of the API. */
    public static final String BASE = "/ovirt-engine/api";

    private static final Pattern CORRELATION = Pattern.compile("[0-9A-Za-z_-]{1,36}");

    private final String method;
    private final Parameters parameters;
    private final String base;
    private final List<String> segments;
    private final Format format;
    private final @Nullable String accept;
    private final @Nullable String known;
    private final @Nullable String site;
    private final Caller caller;
    private final boolean filtered;
    private final boolean filterRefused;
    private final boolean allContent;
    private final String correlation;
    private final @Nullable String contentType;
    private final @Nullable String userAgent;
    private final Supplier<InputStream> body;
    private final Expectation expectation;

    /**
     * Understands a request.
     *
     * @throws Refusal if it cannot be
     */
    Request(Call call, Limits limits) {
        this.method = call.method();
        this.accept = call.header().apply("Accept");
        this.known = call.header().apply("If-None-Match");
        this.site = call.header().apply("Sec-Fetch-Site");
        this.parameters = new Parameters(call.path(), call.query(), limits);
        this.format = formatOf(call, parameters.value("accept"));
        this.caller = call.caller();
        this.contentType = call.header().apply("Content-Type");
        this.userAgent = call.header().apply("User-Agent");
        this.body = call.body();
        this.expectation = expectationOf(call);
        List<String> all = parameters.segments();
        boolean versioned = all.size() > 2 && all.get(2).matches("v[0-9]{1,3}");
        if (versioned && !all.get(2).equals("v4")) {
            throw unsupported(all.get(2).substring(1));
        }
        String version = call.header().apply("Version");
        if (version != null && !version.isBlank() && !version.strip().equals("4")) {
            throw unsupported(version.strip());
        }
        this.base = versioned ? BASE + "/v4" : BASE;
        this.segments =
                List.copyOf(all.subList(Math.min(all.size(), versioned ? 3 : 2), all.size()));
        Boolean filter = parameters.flag("filter");
        if (filter == null) {
            filter = Parameters.flagOf(call.header().apply("Filter"));
        }
        boolean administrator = caller.has(Role.ADMINISTRATOR);
        this.filtered = !administrator || Boolean.TRUE.equals(filter);
        this.filterRefused = !administrator && Boolean.FALSE.equals(filter);
        Boolean all1 = parameters.flag("all_content");
        if (all1 == null) {
            all1 = Parameters.flagOf(call.header().apply("All-Content"));
        }
        this.allContent = Boolean.TRUE.equals(all1);
        this.correlation = correlationOf(call);
    }

    private static Refusal unsupported(String version) {
        return Refusal.invalid(
                "Version %s of the API is not served; version 4 is."
                        .formatted(version.length() > 20 ? version.substring(0, 20) : version));
    }

    /** The requested format, also of a request with other mistakes. */
    static Format formatOf(Call call, @Nullable String parameter) {
        Format asked = parameter == null ? null : Format.of(parameter);
        return asked != null ? asked : Format.preferred(call.header().apply("Accept"));
    }

    private String correlationOf(Call call) {
        String given = parameters.value("correlation_id");
        if (given == null || given.isEmpty()) {
            given = call.header().apply("Correlation-Id");
        }
        if (given == null || given.isBlank()) {
            return isRead() ? "" : UUID.randomUUID().toString();
        }
        if (!CORRELATION.matcher(given.strip()).matches()) {
            throw Refusal.invalid(
                    "A correlation id has 1 to 36 letters, digits, hyphens and underscores.");
        }
        return given.strip();
    }

    /** Some servers do not let the header {@code Expect} through. */
    private static Expectation expectationOf(Call call) {
        Expectation named = Expectation.of(call.header().apply("X-Ovirt-Expect"));
        return named == Expectation.USUAL ? Expectation.of(call.header().apply("Expect")) : named;
    }

    /** When the caller expects an answer to a change. */
    public Expectation expectation() {
        return expectation;
    }

    /** Every parameter of query and path. */
    public Map<String, String> values() {
        return parameters.values();
    }

    /** Method of HTTP. */
    public String method() {
        return method;
    }

    /** Whether nothing is to be changed. */
    public boolean isRead() {
        return method.equals("GET") || method.equals("HEAD");
    }

    /** Prefix of addresses. */
    public String base() {
        return base;
    }

    /** Segments after the base, decoded. */
    public List<String> segments() {
        return segments;
    }

    /** Format of the answer. */
    public Format format() {
        return format;
    }

    /** The caller. */
    public Caller caller() {
        return caller;
    }

    /** Whether the answer holds only objects that the caller may see, in the form for users. */
    public boolean filtered() {
        return filtered;
    }

    /** Whether the caller requests all objects without the right to them. */
    boolean filterRefused() {
        return filterRefused;
    }

    /** Whether the answer contains members that are left out by default. */
    public boolean allContent() {
        return allContent;
    }

    /** Whether the request is for the next configuration of VMs, instead of the running one. */
    boolean nextRun() {
        return isRead() && Boolean.TRUE.equals(flag("next_run"));
    }

    /** Correlation id of the caller; a generated one if the request changes something. */
    public String correlation() {
        return correlation;
    }

    /** A parameter of query or path; null if it is not there, empty without a value. */
    public @Nullable String parameter(String name) {
        return parameters.value(name);
    }

    /** A truth value of query or path; null if it is not there or is none. */
    public @Nullable Boolean flag(String name) {
        return parameters.flag(name);
    }

    Parameters parameters() {
        return parameters;
    }

    /** Media type of the body, null if the request names none. */
    public @Nullable String contentType() {
        return contentType;
    }

    /** Program of the caller, null if it names none. */
    public @Nullable String userAgent() {
        return userAgent;
    }

    /** The body. */
    public InputStream body() {
        return body.get();
    }

    /** Whether the caller has the content of an entity tag. */
    boolean knows(String tag) {
        // With an asterisk he has anything, if there is anything: that is found out first.
        return known != null && !known.contains("*") && Tags.isKnown(known, tag);
    }

    /** Whether a page of another site made a browser send the request. */
    public boolean isOfOtherSite() {
        return site != null && !site.equals("same-origin") && !site.equals("none");
    }

    /** Whether a console is requested as a file for its viewer. */
    public boolean wantsViewer() {
        return accept != null && accept.toLowerCase(Locale.ROOT).contains(Text.VIEWER);
    }

    /**
     * Names in the old parameter {@code detail}: {@code main}, which is the entities themselves,
     * and the listed names, without those behind a minus.
     */
    Set<String> details() {
        Set<String> named = new LinkedHashSet<>();
        named.add("main");
        for (String part : detail().toLowerCase(Locale.ROOT).split("(?=-)|[+ ,]", 32)) {
            String name = part.strip();
            if (name.startsWith("-")) {
                named.remove(name.substring(1).strip());
            } else if (!name.isEmpty()) {
                named.add(name);
            }
        }
        return named;
    }

    /** The values of the old parameter {@code detail}, wherever it is. */
    String detail() {
        String given = parameters.text("detail");
        if (!given.isEmpty() || accept == null) {
            return given;
        }
        for (String part : accept.split("[;,]", 64)) {
            String bare = part.strip();
            if (bare.toLowerCase(Locale.ROOT).startsWith("detail=")) {
                return bare.substring("detail=".length());
            }
        }
        return "";
    }
}
