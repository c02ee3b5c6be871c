package org.stillwater.server.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Unknown paths of oVirt's interface, methods that a path does not have, forms that cannot be read:
 * answered in the form of that interface, if the web framework notices them. Paths under {@code
 * /ovirt-engine/api} answer themselves. Thread-safe.
 */
@Component
class OvirtFailures implements HandlerExceptionResolver, Ordered {

    /** Before the handlers of all other clients. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable Object handler,
            Exception e) {
        ErrorForm form = ErrorForm.of(request, RequestPath.of(request));
        if (form == ErrorForm.PROBLEM || response.isCommitted()) {
            return null;
        }
        HttpStatus status;
        if (e instanceof ErrorResponse refusal) {
            refusal.getHeaders()
                    .forEach((name, values) ->
                            values.forEach(value -> response.addHeader(name, value)));
            status = HttpStatus.resolve(refusal.getStatusCode().value());
        } else if (e instanceof InvalidParameterException) {
            status = HttpStatus.BAD_REQUEST;
        } else {
            return null;
        }
        try {
            tell(response, form, status == null ? HttpStatus.BAD_REQUEST : status);
        } catch (IOException failure) {
            throw new UncheckedIOException("the client is gone", failure);
        }
        return new ModelAndView(); // the answer is written
    }

    private static void tell(HttpServletResponse response, ErrorForm form, HttpStatus status)
            throws IOException {
        response.setStatus(status.value());
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        byte[] text = form.text(status).getBytes(StandardCharsets.UTF_8);
        response.setContentLength(text.length);
        if (text.length > 0) {
            response.setContentType(form.type());
            response.getOutputStream().write(text);
        }
    }
}
