import torch, multiprocessing, torch.multiprocessing as mp
def child(q, r):
    a, b = q.get(); r.put((str(a.device), str(b.device), a.sum().item())); 
if __name__ == "__main__":
    for m in ("spawn", "fork"):
        c = mp.get_context(m); q, r = c.Queue(), c.Queue(); p = c.Process(target=child, args=(q, r)); p.start(); q.put((torch.ones(3, device="cuda"), torch.ones(3))); print(r.get()); p.join()
    ds = torch.utils.data.TensorDataset(torch.arange(8.))
    for (x,) in torch.utils.data.DataLoader(ds, 4, num_workers=1): print(x.device, x.cuda().device)
    for (x,) in torch.utils.data.DataLoader(ds, 4, num_workers=1, pin_memory=True): print(x.device, x.to("cuda", non_blocking=True).device)
    import pickle, io, copy
    print(pickle.loads(pickle.dumps(torch.ones(2))).device, pickle.loads(pickle.dumps(torch.ones(2,device="cuda"))).device)
    b = io.BytesIO(); torch.save([torch.ones(2), torch.ones(2, device="cuda")], b); b.seek(0); print([t.device for t in torch.load(b)])
    print(torch.Tensor([1.]).device, torch.FloatTensor([1.]).device)
