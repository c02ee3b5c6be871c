package org.stillwater.server.ovirt;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.apache.coyote.CloseNowException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.stillwater.core.access.Caller;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.ovirt.codec.Codec;
import org.stillwater.ovirt.codec.Format;
import org.stillwater.ovirt.resource.Answer;
import org.stillwater.ovirt.resource.Call;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.ovirt.resource.Refusal;
import org.stillwater.ovirt.resource.Tags;
import org.stillwater.ovirt.resource.Text;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.AuditedAs;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.OvirtSettings;
import tools.jackson.core.JacksonException;

/**
 * The compatible API as a servlet. It is none of Spring's controllers, because clients send paths
 * and media types that those are right to refuse (rules 1, 6, 22), and because long lists are
 * written while they are made.
 *
 * <p>Answers are compressed here and not by the server, which refuses to compress answers with a
 * strong entity tag, because the bytes would differ. The tag of compressed bytes is another one.
 */
final class OvirtServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(OvirtServlet.class);
    private static final String VARY =
            "Accept, Accept-Encoding, Authorization, Cookie, Filter, All-Content, Version";
    private static final Duration QUIET = Duration.ofMinutes(1);
    private static final int BUFFER = 16 * 1024;

    private final transient OvirtApi api;
    private final transient Codec codec;
    private final transient Callers callers;
    private final transient OvirtSettings settings;
    private final transient Admission admission;
    private final transient ThrottledLog warnings;

    OvirtServlet(
            OvirtApi api, Codec codec, Callers callers, OvirtSettings settings, EngineClock clock) {
        this.warnings = new ThrottledLog(LOG, clock, QUIET, "oVirt's interface");
        this.api = api;
        this.codec = codec;
        this.callers = callers;
        this.settings = settings;
        this.admission = new Admission(settings.concurrentPerClient(), settings.clientPatience());
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Caller caller = callers.current();
        Call call =
                new Call(
                        request.getMethod(),
                        request.getRequestURI(),
                        request.getQueryString(),
                        request::getHeader,
                        caller,
                        () -> body(request));
        try (Admission.Place place =
                admission.enter(caller.name() + " " + ClientAddress.network(request))) {
            if (place == null) {
                response.setHeader(HttpHeaders.RETRY_AFTER, "1");
                write(
                        request,
                        response,
                        Answer.of(
                                503,
                                Format.preferred(request.getHeader(HttpHeaders.ACCEPT)),
                                "fault",
                                new Refusal(
                                                503,
                                                "Operation Failed",
                                                "Too many of your requests are under way; wait for"
                                                        + " them.")
                                        .fault()));
                return;
            }
            if (api.tellsOfItself(call)) {
                request.setAttribute(AuditedAs.ATTRIBUTE, true);
            }
            write(request, response, answer(call));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServletException("interrupted while waiting for a place", e);
        }
    }

    private Answer answer(Call call) {
        try {
            return api.answer(call);
        } catch (RequestRejectedException e) {
            throw e; // a header or a parameter that none may send
        } catch (RuntimeException e) {
            warnings.about("a request failed", call.method() + " " + call.path(), e);
            return OvirtApi.failed(call);
        }
    }

    private static InputStream body(HttpServletRequest request) {
        try {
            return request.getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(HttpServletRequest request, HttpServletResponse response, Answer answer)
            throws IOException {
        if (response.isCommitted()) {
            // The server refused the framing of the body while it was read.
            LOG.debug("{} {} was answered before", request.getMethod(), request.getRequestURI());
            return;
        }
        answer.headers().forEach(response::setHeader);
        response.setHeader(HttpHeaders.VARY, VARY);
        response.setHeader(
                HttpHeaders.CACHE_CONTROL, answer.tag() == null ? "no-store" : "private, no-cache");
        boolean gzip = acceptsGzip(request.getHeader(HttpHeaders.ACCEPT_ENCODING));
        Object body = answer.body();
        if (answer.status() == HttpServletResponse.SC_NOT_MODIFIED && answer.tag() != null) {
            unchanged(response, answer.tag(), gzip);
            return;
        }
        if (body == null) {
            response.setStatus(answer.status());
            response.setContentLength(0);
            return;
        }
        boolean head = request.getMethod().equals("HEAD");
        if (body instanceof Text text) {
            byte[] bytes = text.text().getBytes(StandardCharsets.UTF_8);
            response.setStatus(answer.status());
            response.setContentType(text.mediaType());
            finish(response, bytes, false, head);
            return;
        }
        response.setContentType(contentType(answer.format()));
        String tag = answer.tag();
        String known = request.getHeader(HttpHeaders.IF_NONE_MATCH);
        if (tag != null && Tags.isKnown(known, tag)) {
            unchanged(response, tag, gzip);
        } else if (tag == null || answer.exact()) {
            buffered(response, answer, body, known, gzip, head);
        } else {
            response.setStatus(answer.status());
            response.setHeader(HttpHeaders.ETAG, Tags.quoted(tag, gzip));
            if (!head) {
                stream(response, answer, body, gzip);
            }
        }
    }

    private void stream(HttpServletResponse response, Answer answer, Object body, boolean gzip)
            throws IOException {
        try (OutputStream out = open(response, gzip)) {
            codec.write(answer.format(), answer.root(), body, out);
        } catch (JacksonException e) {
            gone(response, e);
        }
    }

    /** Kept until it is complete, for a tag of its bytes, unless it is large. */
    private void buffered(
            HttpServletResponse response,
            Answer answer,
            Object body,
            @Nullable String known,
            boolean gzip,
            boolean head)
            throws IOException {
        response.setStatus(answer.status());
        TagBuffer buffer =
                new TagBuffer(
                        settings.tagBuffer().toBytes(),
                        () -> {
                            if (answer.tag() != null) {
                                response.setHeader(
                                        HttpHeaders.ETAG, Tags.quoted(answer.tag(), gzip));
                            }
                            return head ? OutputStream.nullOutputStream() : open(response, gzip);
                        });
        try {
            codec.write(answer.format(), answer.root(), body, buffer);
        } catch (JacksonException e) {
            if (buffer.passed() == null) {
                throw e;
            }
            gone(response, e);
            return;
        }
        byte[] bytes = buffer.bytes();
        if (bytes == null) {
            OutputStream passed = buffer.passed();
            if (passed != null) {
                passed.close();
            }
            return;
        }
        boolean compressed = gzip && bytes.length >= settings.gzipAtLeast().toBytes();
        if (answer.tag() != null) {
            String exact = Tags.of(bytes);
            if (Tags.isKnown(known, exact)) {
                unchanged(response, exact, compressed);
                return;
            }
            response.setHeader(HttpHeaders.ETAG, Tags.quoted(exact, compressed));
        }
        finish(response, bytes, compressed, head);
    }

    private void finish(
            HttpServletResponse response, byte[] bytes, boolean compressed, boolean head)
            throws IOException {
        if (!compressed) {
            response.setContentLength(bytes.length);
        }
        if (head) {
            return;
        }
        try (OutputStream out = open(response, compressed)) {
            out.write(bytes);
        }
    }

    private OutputStream open(HttpServletResponse response, boolean gzip) throws IOException {
        response.setBufferSize(BUFFER);
        if (!gzip) {
            return response.getOutputStream();
        }
        response.setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        return new GZIPOutputStream(response.getOutputStream(), BUFFER) {
            {
                def.setLevel(settings.gzipLevel());
            }
        };
    }

    /** The reader went away, or an answer that was half sent cannot be completed. */
    private static void gone(HttpServletResponse response, JacksonException e) throws IOException {
        LOG.debug("an answer was not written to its end: {}", e.getOriginalMessage());
        if (response.isCommitted()) {
            // Ends the connection, so that the reader knows; the server logs nothing of it.
            throw new CloseNowException("the answer was cut off", e);
        }
        throw e;
    }

    private static void unchanged(HttpServletResponse response, String tag, boolean gzip) {
        response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
        response.setHeader(HttpHeaders.ETAG, Tags.quoted(tag, gzip));
    }

    static String contentType(Format format) {
        return format == Format.XML ? "application/xml;charset=UTF-8" : format.mediaType();
    }

    /** Whether {@code gzip} is among the encodings and not refused. */
    static boolean acceptsGzip(@Nullable String encodings) {
        if (encodings == null) {
            return false;
        }
        for (String each : encodings.toLowerCase(Locale.ROOT).split(",", 32)) {
            String[] parts = each.strip().split(";", 2);
            if (parts[0].strip().equals("gzip") || parts[0].strip().equals("*")) {
                String weight = parts.length == 1 ? "" : parts[1].replace(" ", "");
                return !weight.matches("q=0(\\.0*)?");
            }
        }
        return false;
    }
}
