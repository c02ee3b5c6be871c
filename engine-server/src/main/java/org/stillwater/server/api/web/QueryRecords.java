package org.stillwater.server.api.web;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Makes the records that stand for a query out of its parameters: each component is the text of the
 * parameter of its name, several of one name are joined by commas, one that does not exist is null.
 *
 * <p>Spring's own binder does the same, but reads the annotations of the record's constructor by
 * reflection for every request, which took longer than all the rest of a small answer
 * (docs/figures.md). Thread-safe.
 */
@Configuration(proxyBeanMethods = false)
public class QueryRecords implements WebMvcConfigurer, HandlerMethodArgumentResolver {

    private final Map<Class<?>, Form> forms = new ConcurrentHashMap<>();

    /**
     * How a record is made.
     *
     * @param names of its components
     * @param constructor takes an array of their values
     */
    private record Form(List<String> names, MethodHandle constructor) {

        static Form of(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types =
                    Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new);
            for (Class<?> each : types) {
                if (each != String.class) {
                    throw new IllegalStateException(
                            type + " has a component that is no text: " + each);
                }
            }
            try {
                MethodHandle constructor =
                        MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                                .findConstructor(type, MethodType.methodType(void.class, types))
                                .asSpreader(Object[].class, types.length)
                                .asType(MethodType.methodType(Object.class, Object[].class));
                return new Form(QueryRecords.names(type), constructor);
            } catch (NoSuchMethodException | IllegalAccessException e) {
                throw new IllegalStateException(type + " has no constructor of its components", e);
            }
        }

        Object made(Function<String, @Nullable String> value) {
            @Nullable Object[] values = new @Nullable Object[names.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = value.apply(names.get(i));
            }
            try {
                return constructor.invokeExact(values);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(
                        "a constructor of a record has no checked errors", e);
            }
        }
    }

    /**
     * A record of texts that do not come from a query.
     *
     * @param value text of the component of a name; null for none
     */
    public static <R extends QueryRecord> R of(
            Class<R> type, Function<String, @Nullable String> value) {
        return type.cast(Form.of(type).made(value));
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(this);
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return isQuery(parameter.getParameterType());
    }

    /** Whether a type stands for a query. */
    static boolean isQuery(Class<?> type) {
        return QueryRecord.class.isAssignableFrom(type);
    }

    /** Names of the parameters of a query. */
    public static List<String> names(Class<?> type) {
        return Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
    }

    /** Names of the parameters of a query that come once. */
    static List<String> single(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .filter(each -> !each.isAnnotationPresent(QueryRecord.Several.class))
                .map(RecordComponent::getName)
                .toList();
    }

    /** The text of a component; null if its parameter does not come. */
    static @Nullable String joined(String @Nullable [] given) {
        return given == null ? null : given.length == 1 ? given[0] : String.join(",", given);
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        Form form = forms.computeIfAbsent(parameter.getParameterType(), Form::of);
        return form.made(name -> joined(request.getParameterValues(name)));
    }
}
