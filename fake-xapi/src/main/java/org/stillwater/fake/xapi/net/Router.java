package org.stillwater.fake.xapi.net;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.codec.Encoding;
import org.stillwater.fake.xapi.codec.JsonReader;
import org.stillwater.fake.xapi.codec.Reply;
import org.stillwater.fake.xapi.codec.Request;
import org.stillwater.fake.xapi.codec.Request.Malformed;
import org.stillwater.fake.xapi.codec.WireBuffer;
import org.stillwater.fake.xapi.codec.XmlReader;
import org.stillwater.fake.xapi.world.Metrics;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.PoolSettings.JsonRpcUrl;
import org.stillwater.fake.xapi.world.PoolSettings.JsonUrl;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.Store.Row;

/** Routes each URL to its handler. */
final class Router {

    private static final String HTML = "text/html";
    private static final Set<String> FUNCTIONS = Set.of("AVERAGE", "MIN", "MAX", "LAST");

    /**
     * The subject of a request.
     *
     * @param name method of a call, or verb and path
     * @param call {@code null} for a request that is no call
     */
    record Route(String name, @Nullable Request call) {}

    /** A reply of HTTP. */
    record Answer(
            int status, String contentType, WireBuffer body, boolean keepAlive, String location) {
        static Answer of(int status, String contentType, WireBuffer body) {
            return new Answer(status, contentType, body, true, "");
        }

        static Answer page(int status, String text) {
            return new Answer(
                    status,
                    HTML,
                    new WireBuffer()
                            .put(
                                    "<html><body><h1>HTTP "
                                            + status
                                            + "</h1>"
                                            + text
                                            + "</body></html>"),
                    true,
                    "");
        }
    }

    private final Pools pools;
    private final Faults faults;

    Router(Pools pools, Faults faults) {
        this.pools = pools;
        this.faults = faults;
    }

    private Pool pool(String address) {
        return Objects.requireNonNull(pools.at(address), address);
    }

    boolean isLive(String address) {
        Pool pool = pool(address);
        Row host = pool.hostAt(address);
        return host != null && pool.isLive(host.ref());
    }

    private static boolean isJson(HttpRequest request) {
        return request.path().equals("/jsonrpc");
    }

    Route route(HttpRequest request) {
        if (!request.method().equals("POST") || request.body() == null) {
            return new Route(request.method() + " " + request.path(), null);
        }
        try {
            byte[] body = request.body();
            Request call =
                    isJson(request)
                            ? JsonReader.request(new String(body, StandardCharsets.UTF_8))
                            : XmlReader.request(body);
            return new Route(call.method(), call);
        } catch (Malformed e) {
            return new Route("POST " + request.path(), null);
        }
    }

    Answer answer(String address, HttpRequest request, Route route) {
        Faults.Fault status = faults.strikes(FaultKind.HTTP_STATUS, address, route.name());
        if (status != null) {
            return Answer.page(Integer.parseInt(status.argument()), "fault");
        }
        if (request.method().equals("POST")) {
            return rpc(address, request, route.call());
        }
        if (!request.method().equals("GET")) {
            return Answer.page(404, "not here");
        }
        return switch (request.path()) {
            case "/rrd_updates" -> rrd(address, request);
            default -> Answer.page(404, "no such URL");
        };
    }

    private Answer rpc(String address, HttpRequest request, @Nullable Request call) {
        if (request.body() == null) {
            return Answer.page(500, "We require a content-length");
        }
        Pool pool = pool(address);
        Era era = pool.settings().era();
        boolean json = isJson(request);
        if (json && era.jsonRpcUrl() == JsonRpcUrl.ABSENT) {
            // The XML handler takes it: clients recognise the reply by the type of the content.
            // Source: xen-api.
            Encoding xml = Encoding.XML_RPC_OLD;
            Reply refused = new Reply.Failure(List.of("INTERNAL_ERROR", "Xmlm.Error"));
            return Answer.of(200, xml.contentType(), xml.write(refused, null));
        }
        if (call == null) {
            return Answer.page(500, "no call");
        }
        Faults.Fault error = faults.strikes(FaultKind.ERROR, address, call.method());
        Reply reply =
                error != null
                        ? new Reply.Failure(Arrays.asList(error.argument().split(" ")))
                        : json && !isUtf8(request.body())
                                ? new Reply.Outside(List.of("INVALID_VALUE", "utf8"))
                                : pool.call(address, call.method(), call.arguments());
        Encoding encoding = encoding(era, request, call);
        return Answer.of(200, encoding.contentType(), encoding.write(reply, call.id()));
    }

    private static Encoding encoding(Era era, HttpRequest request, Request call) {
        if (isJson(request)) {
            return era.jsonRpcUrl() == JsonRpcUrl.OLD
                    ? Encoding.JSON_RPC_OLD
                    : call.version() == 1 ? Encoding.JSON_RPC_1 : Encoding.JSON_RPC_2;
        }
        if (request.path().equals("/json") && era.jsonUrl() == JsonUrl.JSON_IN_XML) {
            return Encoding.JSON_IN_XML;
        }
        return era.oldXml() ? Encoding.XML_RPC_OLD : Encoding.XML_RPC;
    }

    private static boolean isUtf8(byte @Nullable [] body) {
        try {
            StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Objects.requireNonNull(body)));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private Answer rrd(String address, HttpRequest request) {
        Pool pool = pool(address);
        if (!isAllowed(pool, request)) {
            return Answer.page(401, "who is this");
        }
        long start;
        long interval;
        try {
            start = Long.parseLong(Objects.requireNonNullElse(request.one("start"), ""));
            interval = Long.parseLong(Objects.requireNonNullElse(request.one("interval"), "5"));
        } catch (NumberFormatException e) {
            return Answer.page(400, "start is missing or no number");
        }
        String function = Objects.requireNonNullElse(request.one("cf"), "AVERAGE");
        if (!FUNCTIONS.contains(function)) {
            return Answer.page(400, "no such function");
        }
        Row host = Objects.requireNonNull(pool.hostAt(address));
        Metrics.Updates updates =
                pool.updates(
                        host.ref(),
                        new Metrics.Query(
                                start,
                                interval,
                                function,
                                "true".equals(request.one("host")),
                                Set.copyOf(request.all("vm_uuid")),
                                Set.copyOf(request.all("sr_uuid"))));
        return rrd(pool.settings().era(), request, updates);
    }

    private static Answer rrd(Era era, HttpRequest request, Metrics.Updates updates) {
        String accept = request.headers().get("accept");
        boolean knowsAccept = era == Era.TODAY || era == Era.Y2025;
        boolean json =
                (accept != null && knowsAccept)
                        ? (accept.contains("application/json") || accept.contains("*/*"))
                        : "true".equals(request.one("json"));
        if (!json) {
            return new Answer(200, "text/xml", RrdWriter.xml(updates), false, "");
        }
        return switch (era.rrd()) {
            case LEGACY ->
                    updates.rows().isEmpty()
                            ? Answer.page(500, "index out of bounds")
                            : new Answer(
                                    200, "application/json", RrdWriter.legacy(updates), false, "");
            case NESTED ->
                    new Answer(200, "application/json", RrdWriter.json(updates, true), false, "");
            case CURRENT ->
                    new Answer(200, "application/json", RrdWriter.json(updates, false), false, "");
        };
    }

    /** A session as parameter or cookie, or a user with a password. */
    private static boolean isAllowed(Pool pool, HttpRequest request) {
        if (pool.isSession(request.one("session_id"))) {
            return true;
        }
        String cookie = request.headers().getOrDefault("cookie", "");
        for (String each : cookie.split("; *")) {
            if (each.startsWith("session_id=") && pool.isSession(each.substring(11))) {
                return true;
            }
        }
        String authorization = request.headers().getOrDefault("authorization", "");
        if (authorization.startsWith("Basic ")) {
            try {
                String text =
                        new String(
                                Base64.getDecoder().decode(authorization.substring(6)),
                                StandardCharsets.UTF_8);
                int colon = text.indexOf(':');
                return colon > 0
                        && pool.isPassword(text.substring(0, colon), text.substring(colon + 1));
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
        return false;
    }
}
