/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_lists.h
 * The functions that make lists of devices, as the guide prints them: without the number of
 * entries, and without a filter. Some programs of the time pass these, others do not; both
 * compile. C++ uses overloading, C the number of arguments. Part of doca_dev.h.
 *
 * Since 1.3.
 */
#ifndef DOCA_LISTS_H_
#define DOCA_LISTS_H_

#ifdef __cplusplus

extern "C++" {

static __inline__ doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list)
{
    uint32_t nb_devs;
    return doca_devinfo_list_create(dev_list, &nb_devs);
}

static __inline__ doca_error_t doca_devinfo_remote_list_create(
    struct doca_dev *dev, struct doca_devinfo_remote ***devinfo_remote_list, uint32_t *nb_devs)
{
    return doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, devinfo_remote_list,
                                           nb_devs);
}

static __inline__ doca_error_t
doca_devinfo_remote_list_create(struct doca_dev *dev, enum doca_dev_remote_filter filter,
                                struct doca_devinfo_remote ***devinfo_remote_list)
{
    uint32_t nb_devs;
    return doca_devinfo_remote_list_create(dev, filter, devinfo_remote_list, &nb_devs);
}

static __inline__ doca_error_t
doca_devinfo_remote_list_create(struct doca_dev *dev,
                                struct doca_devinfo_remote ***devinfo_remote_list)
{
    return doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, devinfo_remote_list);
}

} /* extern "C++" */

#else

/* Macros with any number of arguments are newer than C90. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvariadic-macros"

/* The fifth of their arguments: what a call with so many arguments becomes. */
#define DOCA_LISTS_PICK_(a, b, c, d, name, ...) name

static __inline__ doca_error_t doca_devinfo_list_create_1_(struct doca_devinfo ***dev_list)
{
    uint32_t nb_devs;
    return doca_devinfo_list_create(dev_list, &nb_devs);
}

#define doca_devinfo_list_create(...)                                                              \
    DOCA_LISTS_PICK_(__VA_ARGS__, , , doca_devinfo_list_create, doca_devinfo_list_create_1_, )     \
    (__VA_ARGS__)

static __inline__ doca_error_t
doca_devinfo_remote_list_create_2_(struct doca_dev *dev,
                                   struct doca_devinfo_remote ***devinfo_remote_list)
{
    uint32_t nb_devs;
    return doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, devinfo_remote_list,
                                           &nb_devs);
}

/* With a number, or with a filter. */
static __inline__ doca_error_t doca_devinfo_remote_list_create_n_(
    struct doca_dev *dev, struct doca_devinfo_remote ***devinfo_remote_list, uint32_t *nb_devs)
{
    return doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, devinfo_remote_list,
                                           nb_devs);
}

static __inline__ doca_error_t
doca_devinfo_remote_list_create_f_(struct doca_dev *dev, enum doca_dev_remote_filter filter,
                                   struct doca_devinfo_remote ***devinfo_remote_list)
{
    uint32_t nb_devs;
    return doca_devinfo_remote_list_create(dev, filter, devinfo_remote_list, &nb_devs);
}

#define doca_devinfo_remote_list_create_3_(dev, b, c)                                              \
    __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(c), uint32_t *),                 \
                          doca_devinfo_remote_list_create_n_,                                      \
                          doca_devinfo_remote_list_create_f_)(dev, b, c)

#define doca_devinfo_remote_list_create(...)                                                       \
    DOCA_LISTS_PICK_(__VA_ARGS__, doca_devinfo_remote_list_create,                                 \
                     doca_devinfo_remote_list_create_3_, doca_devinfo_remote_list_create_2_, , )   \
    (__VA_ARGS__)

#pragma GCC diagnostic pop

#endif

#endif /* DOCA_LISTS_H_ */
