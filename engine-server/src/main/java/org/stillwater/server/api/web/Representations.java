package org.stillwater.server.api.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.stillwater.ovirt.resource.Tags;

/**
 * Strong entity tags and gzip for every read under {@code /api/v1} and {@code /metrics}. An answer
 * with an entity tag of its own is passed on as it is written; any other is kept until it is
 * complete, to be tagged by its content, as long as it is small enough and may be kept at all.
 *
 * <p>The web server compresses nothing that has a strong tag, and rightly: the compressed answer is
 * other bytes, so its tag is another one here.
 */
@Component
public class Representations extends OncePerRequestFilter {

    private static final int MOST_KEPT = 4 * 1024 * 1024;
    private static final int LEAST_COMPRESSED = 1_024;
    private static final int TAG_BYTES = 16;
    private static final int BUFFER = 32 * 1024;
    private static final String NOT_KEPT = "no-store";
    private static final String COMPRESSED = "-gzip\"";

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        String path = request.getRequestURI();
        boolean read = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        return !read
                || !(path.startsWith("/api/v1/") || path.startsWith("/metrics/"))
                || path.startsWith("/api/v1/stream");
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Represented answer = new Represented(request, response);
        chain.doFilter(request, answer);
        answer.complete();
    }

    /** Whether one of the tags of {@code If-None-Match} is this one, compressed or not. */
    public static boolean matches(@Nullable String header, String tag) {
        int end = tag.length() - (tag.endsWith(COMPRESSED) ? COMPRESSED.length() : 1);
        return Tags.isKnown(header, tag.substring(1, end));
    }

    private static String compressed(String tag) {
        return tag.substring(0, tag.length() - 1) + COMPRESSED;
    }

    private static boolean acceptsGzip(HttpServletRequest request) {
        String accepted = request.getHeader(HttpHeaders.ACCEPT_ENCODING);
        if (accepted == null) {
            return false;
        }
        for (String part : accepted.split(",")) {
            String[] words = part.strip().split(";");
            if (words[0].strip().equalsIgnoreCase("gzip")) {
                return words.length < 2 || !words[1].strip().matches("q=0(\\.0*)?");
            }
        }
        return false;
    }

    /** Gzip of little effort, as long answers are made while the reader waits. */
    private static final class Gzip extends GZIPOutputStream {
        Gzip(OutputStream out) throws IOException {
            super(out, BUFFER);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    private static final class Represented extends HttpServletResponseWrapper {

        private final HttpServletRequest request;
        private final boolean gzip;
        private @Nullable ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private @Nullable OutputStream direct;
        private @Nullable Gzip compressing;
        private @Nullable ServletOutputStream stream;
        private @Nullable PrintWriter writer;

        Represented(HttpServletRequest request, HttpServletResponse response) {
            super(response);
            this.request = request;
            this.gzip = acceptsGzip(request);
        }

        private HttpServletResponse to() {
            return (HttpServletResponse) getResponse();
        }

        @Override
        public ServletOutputStream getOutputStream() {
            if (stream == null) {
                stream = new Out();
            }
            return stream;
        }

        @Override
        public PrintWriter getWriter() {
            if (writer == null) {
                writer =
                        new PrintWriter(
                                new OutputStreamWriter(getOutputStream(), StandardCharsets.UTF_8));
            }
            return writer;
        }

        @Override
        public void setContentLength(int length) {
            // set when the answer is complete
        }

        @Override
        public void setContentLengthLong(long length) {
            // set when the answer is complete
        }

        @Override
        public void setHeader(String name, @Nullable String value) {
            if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
                super.setHeader(name, value);
            }
        }

        @Override
        public void addHeader(String name, @Nullable String value) {
            if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
                super.addHeader(name, value);
            }
        }

        @Override
        public void flushBuffer() throws IOException {
            if (kept == null) {
                super.flushBuffer();
            }
        }

        @Override
        public void reset() {
            if (kept != null) {
                kept.reset();
            }
            super.reset();
        }

        @Override
        public void resetBuffer() {
            if (kept != null) {
                kept.reset();
            }
            super.resetBuffer();
        }

        /** From now on written bytes go to the reader. */
        private OutputStream direct() throws IOException {
            if (direct == null) {
                common();
                if (!to().isCommitted()) {
                    to().setBufferSize(BUFFER);
                }
                String tag = to().getHeader(HttpHeaders.ETAG);
                if (gzip && !isEvents() && to().getHeader(HttpHeaders.CONTENT_ENCODING) == null) {
                    to().setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
                    if (tag != null) {
                        to().setHeader(HttpHeaders.ETAG, compressed(tag));
                    }
                    compressing = new Gzip(to().getOutputStream());
                    direct = compressing;
                } else {
                    direct = to().getOutputStream();
                }
                ByteArrayOutputStream before = kept;
                kept = null;
                if (before != null && before.size() > 0) {
                    before.writeTo(direct);
                }
            }
            return direct;
        }

        private void common() {
            to().addHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
            to().addHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT);
            if (to().getHeader(HttpHeaders.CACHE_CONTROL) == null) {
                to().setHeader(HttpHeaders.CACHE_CONTROL, "private, no-cache");
            }
        }

        private boolean isEvents() {
            String type = to().getContentType();
            return type != null && type.startsWith("text/event-stream");
        }

        private boolean goesOn(int more) {
            return kept == null
                    || isEvents()
                    || to().getHeader(HttpHeaders.ETAG) != null
                    || NOT_KEPT.equals(to().getHeader(HttpHeaders.CACHE_CONTROL))
                    || kept.size() + more > MOST_KEPT;
        }

        void complete() throws IOException {
            if (writer != null) {
                writer.flush();
            }
            ByteArrayOutputStream body = kept;
            if (body == null) {
                if (compressing != null) {
                    compressing.finish();
                }
                return;
            }
            int status = to().getStatus();
            if (status != HttpStatus.OK.value() || to().isCommitted()) {
                if (status == HttpStatus.NOT_MODIFIED.value()) {
                    common();
                } else if (body.size() > 0) {
                    to().setContentLength(body.size());
                    body.writeTo(to().getOutputStream());
                }
                return;
            }
            common();
            String tag = '"' + digest(body.toByteArray()) + '"';
            to().setHeader(HttpHeaders.ETAG, tag);
            if (matches(request.getHeader(HttpHeaders.IF_NONE_MATCH), tag)) {
                to().setStatus(HttpStatus.NOT_MODIFIED.value());
                return;
            }
            if (gzip && body.size() >= LEAST_COMPRESSED) {
                ByteArrayOutputStream small = new ByteArrayOutputStream(body.size() / 4);
                try (Gzip compressor = new Gzip(small)) {
                    body.writeTo(compressor);
                }
                to().setHeader(HttpHeaders.ETAG, compressed(tag));
                to().setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
                body = small;
            }
            to().setContentLength(body.size());
            body.writeTo(to().getOutputStream());
        }

        private static String digest(byte[] body) {
            try {
                byte[] all = MessageDigest.getInstance("SHA-256").digest(body);
                return HexFormat.of().formatHex(all, 0, TAG_BYTES);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has SHA-256", e);
            }
        }

        private final class Out extends ServletOutputStream {

            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                ByteArrayOutputStream body = kept;
                if (body == null || goesOn(length)) {
                    direct().write(bytes, offset, length);
                } else {
                    body.write(bytes, offset, length);
                }
            }

            @Override
            public void flush() throws IOException {
                if (direct != null) {
                    direct.flush();
                }
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {
                throw new IllegalStateException("answers are written by the thread of the request");
            }
        }
    }
}
