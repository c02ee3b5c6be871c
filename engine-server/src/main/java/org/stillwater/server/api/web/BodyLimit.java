package org.stillwater.server.api.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.stillwater.ovirt.resource.Request;
import org.stillwater.server.http.ErrorForm;
import org.stillwater.server.http.RequestPath;
import org.stillwater.server.settings.RestSettings;

/**
 * Refuses bodies beyond the limit: announced ones at once, others as soon as they exceed it. The
 * compatible API counts for itself, because it refuses with faults.
 */
@Component
class BodyLimit extends OncePerRequestFilter {

    private final long limitBytes;
    private final String refusal;

    BodyLimit(RestSettings settings) {
        limitBytes = settings.maxBody().toBytes();
        refusal = "A body may have at most " + limitBytes + " bytes.";
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getServletPath().equals(Request.BASE);
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getContentLengthLong() > limitBytes) {
            ErrorForm form = ErrorForm.of(request, RequestPath.of(request));
            response.setStatus(HttpStatus.CONTENT_TOO_LARGE.value());
            response.setContentType(form.type());
            response.getOutputStream()
                    .write(
                            form.text(413, "Content Too Large", refusal)
                                    .getBytes(StandardCharsets.UTF_8));
            return;
        }
        boolean announced = request.getContentLengthLong() >= 0;
        chain.doFilter(announced ? request : new Limited(request), response);
    }

    /** A chunked body, counted while it is read. */
    private final class Limited extends HttpServletRequestWrapper {

        private Limited(HttpServletRequest request) {
            super(request);
        }

        @Override
        public ServletInputStream getInputStream() throws IOException {
            return new Counted(super.getInputStream());
        }
    }

    private final class Counted extends ServletInputStream {

        private final ServletInputStream body;
        private long left = limitBytes;

        private Counted(ServletInputStream body) {
            this.body = body;
        }

        @Override
        public int read() throws IOException {
            int one = body.read();
            count(one < 0 ? 0 : 1);
            return one;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = body.read(into, offset, length);
            count(Math.max(0, read));
            return read;
        }

        private void count(int bytes) {
            left -= bytes;
            if (left < 0) {
                throw ApiException.tooLarge(refusal);
            }
        }

        @Override
        public boolean isFinished() {
            return body.isFinished();
        }

        @Override
        public boolean isReady() {
            return body.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            body.setReadListener(listener);
        }
    }
}
