import goban


def react(u, v, u_next, v_next, feed, kill):
    eaten = u() * v() * v()
    u_next[...] = u() + 0.16 * goban.laplacian(u) - eaten + feed * (1 - u())
    v_next[...] = v() + 0.08 * goban.laplacian(v) + eaten - (feed + kill) * v()


def prepare(device, first_u, first_v):
    grid = goban.Grid(first_u.T.shape, boundary=goban.constant(0))
    u, v = grid.field("u", "float32"), grid.field("v", "float32")
    u_next, v_next = u.like("u_next"), v.like("v_next")
    u[...], v[...] = first_u.T, first_v.T
    step = goban.Program("gray_scott")
    step.apply(react, u, v, u_next, v_next, feed=0.035, kill=0.065)
    step.swap(u, u_next).swap(v, v_next)
    return goban.Engine(step).run, lambda: [u.numpy().T, v.numpy().T]
