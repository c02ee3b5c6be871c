package org.stillwater.server.api.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Refuses the body of a change where the endpoint of the native API takes none: its members would
 * have no effect. An empty object is as good as no body. Stateless.
 */
@Configuration(proxyBeanMethods = false)
class UnreadBodyGuard implements WebMvcConfigurer, HandlerInterceptor {

    private static final Set<String> CHANGES = Set.of("POST", "PUT", "PATCH", "DELETE");

    /** Bytes that a body without members has at most: braces and blanks. */
    private static final int LONGEST_EMPTY = 64;

    /** Callers without the rights get their refusal first. */
    private static final int AFTER_OTHERS = 1;

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/api/v1/**").order(AFTER_OTHERS);
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        if (handler instanceof HandlerMethod endpoint
                && CHANGES.contains(request.getMethod())
                && !takesBody(endpoint)
                && hasMembers(request)) {
            throw ApiException.badRequest(
                    "%s %s takes no body."
                            .formatted(
                                    request.getMethod(), Ids.shortened(request.getRequestURI())));
        }
        return true;
    }

    private static boolean takesBody(HandlerMethod endpoint) {
        for (MethodParameter parameter : endpoint.getMethodParameters()) {
            if (parameter.hasParameterAnnotation(RequestBody.class)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasMembers(HttpServletRequest request) throws IOException {
        long length = request.getContentLengthLong();
        if (length == 0 || length > LONGEST_EMPTY) {
            return length != 0;
        }
        byte[] begin = request.getInputStream().readNBytes(LONGEST_EMPTY + 1);
        if (begin.length == 0) {
            return length > 0; // the fields of a form are read already
        }
        String text = new String(begin, StandardCharsets.UTF_8).replaceAll("\\s", "");
        return begin.length > LONGEST_EMPTY || !(text.isEmpty() || text.equals("{}"));
    }
}
