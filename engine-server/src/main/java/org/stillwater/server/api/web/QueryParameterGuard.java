package org.stillwater.server.api.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Refuses query parameters that an endpoint of the native API or of the scrapes does not have. A
 * filter with a misspelt name would otherwise answer for everything. The names follow from the
 * endpoint's own arguments, so that no endpoint can forget one. Thread-safe.
 */
@Configuration(proxyBeanMethods = false)
public class QueryParameterGuard implements WebMvcConfigurer, HandlerInterceptor {

    /** Bounded by the number of endpoints. */
    private final Map<Method, Set<String>> known = new ConcurrentHashMap<>();

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/api/v1/**", "/metrics/**");
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        String query = request.getQueryString();
        if (query != null && handler instanceof HandlerMethod endpoint) {
            check(
                    query,
                    known.computeIfAbsent(endpoint.getMethod(), _ -> parametersOf(endpoint)),
                    request);
        }
        return true;
    }

    /**
     * Refuses a query with a parameter of another name.
     *
     * @param query text after the question mark, as it was sent
     * @param allowed names of the known parameters
     */
    public static void check(String query, Collection<String> allowed, HttpServletRequest request) {
        for (String pair : query.split("&", -1)) {
            String name = decoded(pair.substring(0, end(pair)));
            if (!name.isEmpty() && !allowed.contains(name)) {
                throw ApiException.badRequest(
                        "There is no parameter \"%s\": %s %s takes %s."
                                .formatted(
                                        Ids.shortened(name),
                                        request.getMethod(),
                                        Ids.shortened(request.getRequestURI()),
                                        allowed.isEmpty()
                                                ? "none"
                                                : String.join(", ", new TreeSet<>(allowed))));
            }
        }
    }

    private static int end(String pair) {
        int end = pair.indexOf('=');
        return end < 0 ? pair.length() : end;
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return name; // no name of ours has a percent sign
        }
    }

    private static Set<String> parametersOf(HandlerMethod endpoint) {
        Set<String> all = new TreeSet<>();
        for (Parameter parameter : endpoint.getMethod().getParameters()) {
            RequestParam named = parameter.getAnnotation(RequestParam.class);
            if (QueryRecords.isQuery(parameter.getType())) {
                all.addAll(QueryRecords.names(parameter.getType()));
            } else if (named != null) {
                all.add(
                        !named.name().isEmpty()
                                ? named.name()
                                : !named.value().isEmpty() ? named.value() : parameter.getName());
            }
        }
        return Set.copyOf(all);
    }
}
