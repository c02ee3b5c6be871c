package org.stillwater.server.api.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
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
 * Refuses query parameters that an endpoint of the native API or of the scrapes does not have, that
 * have no value, or that come twice where one value is taken. A filter with a misspelt name or
 * without a value would otherwise answer for everything. The names follow from the endpoint's own
 * arguments, so that no endpoint can forget one. Thread-safe.
 */
@Configuration(proxyBeanMethods = false)
public class QueryParameterGuard implements WebMvcConfigurer, HandlerInterceptor {

    /** The first page, and the begin of a stream: clients send them without a value. */
    private static final Set<String> MAY_BE_EMPTY = Set.of("cursor", "lastEventId");

    /**
     * Parameters of an endpoint.
     *
     * @param names all of them
     * @param single those that take one value
     */
    private record Known(Set<String> names, Set<String> single) {}

    /** Bounded by the number of endpoints. */
    private final Map<Method, Known> known = new ConcurrentHashMap<>();

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/api/v1/**", "/metrics/**");
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        String query = request.getQueryString();
        if (query != null && handler instanceof HandlerMethod endpoint) {
            Known parameters =
                    known.computeIfAbsent(endpoint.getMethod(), _ -> parametersOf(endpoint));
            check(query, parameters.names(), request);
            checkSingle(query, parameters.single());
        }
        return true;
    }

    private static void checkSingle(String query, Set<String> single) {
        Set<String> seen = new HashSet<>();
        for (String pair : query.split("&", -1)) {
            String name = decoded(pair.substring(0, end(pair)));
            if (single.contains(name) && !seen.add(name)) {
                throw ApiException.badRequest("The parameter %s comes twice.".formatted(name));
            }
        }
    }

    /**
     * Refuses a query with a parameter that a record does not have, that has no value, or that
     * comes twice without being a list.
     *
     * @param query text after the question mark, as it was sent
     */
    public static void check(
            String query, Class<? extends QueryRecord> type, HttpServletRequest request) {
        check(query, QueryRecords.names(type), request);
        checkSingle(query, Set.copyOf(QueryRecords.single(type)));
    }

    private static void check(
            String query, Collection<String> allowed, HttpServletRequest request) {
        for (String pair : query.split("&", -1)) {
            String name = decoded(pair.substring(0, end(pair)));
            if (name.isEmpty()) {
                continue;
            }
            if (!allowed.contains(name)) {
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
            if (!MAY_BE_EMPTY.contains(name) && isBlank(pair, end(pair) + 1)) {
                throw ApiException.badRequest(
                        "The parameter %s has no value: give it one, or leave it out."
                                .formatted(name));
            }
        }
    }

    private static int end(String pair) {
        int end = pair.indexOf('=');
        return end < 0 ? pair.length() : end;
    }

    /** Most values begin with a character that needs no decoding. */
    private static boolean isBlank(String pair, int from) {
        return from >= pair.length()
                || ((pair.charAt(from) == '+' || pair.charAt(from) == '%')
                        && decoded(pair.substring(from)).isBlank());
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return name; // no name of ours has a percent sign
        }
    }

    private static Known parametersOf(HandlerMethod endpoint) {
        Set<String> all = new TreeSet<>();
        Set<String> single = new TreeSet<>();
        for (Parameter parameter : endpoint.getMethod().getParameters()) {
            RequestParam named = parameter.getAnnotation(RequestParam.class);
            if (QueryRecords.isQuery(parameter.getType())) {
                all.addAll(QueryRecords.names(parameter.getType()));
                single.addAll(QueryRecords.single(parameter.getType()));
            } else if (named != null) {
                String name =
                        !named.name().isEmpty()
                                ? named.name()
                                : !named.value().isEmpty() ? named.value() : parameter.getName();
                all.add(name);
                if (!parameter.getType().isArray()) {
                    single.add(name);
                }
            }
        }
        return new Known(Set.copyOf(all), Set.copyOf(single));
    }
}
