package org.stillwater.ovirt.resource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.time.EngineClock;
import org.stillwater.ovirt.codec.Codec;
import org.stillwater.ovirt.search.MemorySearch;
import org.stillwater.ovirt.search.SearchLimits;
import tools.jackson.databind.JsonNode;

/** Sends requests to the API over a small fleet, and reads the answers. */
final class Asked {

    static final Caller ADMIN = Caller.withRole("admin@internal", Role.ADMINISTRATOR);

    private final Codec codec = new Codec();
    private final SmallFleet fleet;
    private final OvirtApi api;

    Asked(SmallFleet fleet) {
        this(fleet, Limits.USUAL);
    }

    Asked(SmallFleet fleet, Limits limits) {
        this.fleet = fleet;
        this.api =
                new OvirtApi(
                        fleet,
                        new MemorySearch(SearchLimits.USUAL, clock(fleet)),
                        ReferenceData.USUAL,
                        limits,
                        Writes.NONE);
    }

    private static EngineClock clock(SmallFleet fleet) {
        return new EngineClock() {
            @Override
            public long nanoTime() {
                return 0;
            }

            @Override
            public java.time.Instant now() {
                return fleet.now();
            }
        };
    }

    OvirtApi api() {
        return api;
    }

    SmallFleet fleet() {
        return fleet;
    }

    Answer answer(String method, String target, Caller caller, String... headers) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < headers.length; i += 2) {
            all.put(headers[i].toLowerCase(Locale.ROOT), headers[i + 1]);
        }
        int mark = target.indexOf('?');
        return api.answer(
                new Call(
                        method,
                        mark < 0 ? target : target.substring(0, mark),
                        mark < 0 ? null : target.substring(mark + 1),
                        name -> all.get(name.toLowerCase(Locale.ROOT)),
                        caller,
                        () -> (InputStream) new ByteArrayInputStream(new byte[0])));
    }

    Answer get(String path, String... headers) {
        return answer("GET", Request.BASE + path, ADMIN, headers);
    }

    String text(Answer answer) {
        Object body = Objects.requireNonNull(answer.body(), "there is a body");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        codec.write(answer.format(), answer.root(), body, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The document at a path, as XML. */
    String xml(String path) {
        return text(get(path, "Accept", "application/xml"));
    }

    /** The document at a path, as JSON. */
    JsonNode json(String path) {
        return json(get(path, "Accept", "application/json"));
    }

    JsonNode json(Answer answer) {
        return codec.mapper(org.stillwater.ovirt.codec.Format.JSON).readTree(text(answer));
    }
}
